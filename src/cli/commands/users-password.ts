import type { Command } from '../command.ts';
import { readPassword } from '../prompt-password.ts';
import { userByName } from '../user-by-name.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: { 'password-stdin': { type: 'boolean', help: 'Read the password from stdin' } },
  description:
    'Sets the password of a user and ends their log-ins; of another user it revokes the keys, too. Owner only.',
  examples: ['platform users password owner'],
  async run(context, args) {
    const host = await context.client();
    const { user_id } = await userByName(host, args.positionals[0] ?? '');
    const { user: self } = await host.call('auth.status', {});
    const user = await host.call('users.update', { user_id, password: await readPassword(context, args) });
    context.out.data(user);
    context.out.line(`The password of ${user.name} is set.`);
    context.out.line(
      self.user_id === user_id
        ? 'All your other log-ins have ended: browsers must log in again. Keys stay.'
        : 'All their log-ins have ended, and their keys are revoked.',
    );
    return 0;
  },
};
