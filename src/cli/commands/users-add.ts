import { Role } from '../../contract/account.ts';
import type { Command } from '../command.ts';
import { readPassword } from '../prompt-password.ts';
import { UsageError } from '../usage-error.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: {
    role: { type: 'string', value: 'ROLE', help: 'user (default) or owner' },
    'password-stdin': { type: 'boolean', help: 'Read the password from stdin' },
  },
  description: 'Adds a user with a password. Owner only.',
  examples: ['platform users add alice', 'platform users add alice --password-stdin < password.txt'],
  async run(context, args) {
    const role = Role.optional().safeParse(args.text('role'));
    if (!role.success) throw new UsageError('--role is user or owner.', 'users add');
    const host = await context.client();
    const password = await readPassword(context, args);
    const user = await host.call('users.create', { name: args.positionals[0] ?? '', password, role: role.data });
    context.out.data(user);
    context.out.line(`Added ${user.name} (${user.role}).`);
    const { least_isolation: least } = await host.call('host.get', {});
    if (least === 'none') {
      context.out.note(
        'Bots may run as plain processes under your account of this machine: a person who may deploy can read what you can read.',
      );
    }
    return 0;
  },
};
