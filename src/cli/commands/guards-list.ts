import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: {},
  description: 'Lists the guards of a bot: the limits at which the host stops it or tells you, and how near it is.',
  examples: ['platform guards list "sma live"'],
  async run({ client, out }, { positionals: [name = ''] }) {
    const host = await client();
    const answer = await host.call('guards.list', { bot_id: await host.botId(name) });
    out.data(answer);
    if (answer.items.length === 0) {
      out.line('No guards. `platform guards set <bot> daily_loss 250` adds one.');
      return 0;
    }
    out.table(
      ['KIND', 'STATE', 'NOW', 'GUARD', 'ID'],
      answer.items.map((one) => [one.kind, one.state, one.value ?? '-', printable(one.sentence), one.guard_id]),
      ['ID'],
    );
    return 0;
  },
};
