import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';
import { userByName } from '../user-by-name.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description: 'Removes a user that has no bots left. Owner only.',
  examples: ['platform users remove alice'],
  async run({ client, out, confirm }, args) {
    const host = await client();
    const { user_id, name } = await userByName(host, args.positionals[0] ?? '');
    if (!args.flag('yes') && !(await confirm(`Remove the user ${name} with their keys?`))) {
      throw new PlatformError('INVALID_REQUEST', 'No user was removed', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    out.data(await host.call('users.delete', { user_id }));
    out.line(`Removed ${name}.`);
    return 0;
  },
};
