import type { Command } from '../command.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: {},
  description:
    'Takes an interpreter from the list: no further program starts with it. Programs that run go on until they end or are stopped. Owner only; a key cannot do this.',
  examples: ['platform interpreters remove awk'],
  async run({ client, out }, { positionals: [name = ''] }) {
    const host = await client();
    const removed = await host.call('interpreters.remove', { interpreter: name });
    out.data(removed);
    out.line(`No further program starts with ${removed.interpreter}. Stop the bots that run with it.`);
    return 0;
  },
};
