import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: {},
  description: 'Runs a scheduled bot now, outside its schedule.',
  examples: ['platform bot run portfolio'],
  async run({ client, name: called, out }, { positionals: [name = ''] }) {
    const host = await client();
    const run = await host.call('bots.run', { bot_id: await host.botId(name) });
    out.data(run);
    out.line(`Run ${run.run_id} has begun. Its lines:`);
    out.line(`  ${typed(called, 'bot logs', name, '--run', run.run_id)}`);
    return 0;
  },
};
