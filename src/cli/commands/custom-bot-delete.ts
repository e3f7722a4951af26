import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  positionals: ['<name>', '<version>'],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description: 'Removes a version that no bot runs.',
  examples: ['platform custom-bot delete sma-crossover 1.0.0 -y'],
  async run({ client, out, confirm }, args) {
    const [name = '', version = ''] = args.positionals;
    if (!args.flag('yes') && !(await confirm(`Remove ${name} ${version}?`))) {
      throw new PlatformError('INVALID_REQUEST', 'Nothing was removed', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    const host = await client();
    out.data(await host.call('custom_bots.delete', { name, version }));
    out.line(`Removed ${name} ${version}.`);
    return 0;
  },
};
