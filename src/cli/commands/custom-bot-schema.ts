import type { Command } from '../command.ts';

export const command: Command = {
  positionals: ['<name>', '[version]'],
  options: {},
  description: 'Prints the JSON Schema of the configuration, of the highest version unless one is named.',
  examples: ['platform custom-bot schema sma-crossover'],
  async run({ client, out }, { positionals: [name = '', version] }) {
    const host = await client();
    const found = await host.call('custom_bots.schema', { name, version });
    out.data(found);
    out.line(JSON.stringify(found.schema, null, 2));
    return 0;
  },
};
