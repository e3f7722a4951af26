import { Role } from '../../contract/account.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { userByName } from '../user-by-name.ts';

export const command: Command = {
  positionals: ['<name>', '<role>'],
  options: {},
  description: 'Makes a user an owner, who also manages users and the host, or an owner a user again. Owner only.',
  examples: ['platform users role ada owner'],
  async run({ client, out }, { positionals: [name = '', wanted = ''] }) {
    const role = Role.safeParse(wanted);
    if (!role.success) throw new UsageError(`The role is one of ${Role.options.join(', ')}.`, 'users role');
    const host = await client();
    const { user_id } = await userByName(host, name);
    const user = await host.call('users.update', { user_id, role: role.data });
    out.data(user);
    out.line(`${user.name} is ${user.role === 'owner' ? 'an owner' : 'a user'} now.`);
    return 0;
  },
};
