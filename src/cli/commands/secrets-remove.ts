import type { Command } from '../command.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: {},
  description: 'Removes a secret. One that a bot uses is not removed; the error says which bots these are.',
  examples: ['platform secrets remove KRAKEN_KEY'],
  async run({ client, out }, { positionals: [name = ''] }) {
    const host = await client();
    out.data(await host.call('secrets.remove', { name }));
    out.line(`${name} is removed.`);
    return 0;
  },
};
