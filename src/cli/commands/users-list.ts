import type { Command } from '../command.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Lists the users of the host. Owner only.',
  examples: ['platform users list'],
  async run({ client, out }) {
    const host = await client();
    const answer = await host.call('users.list', {});
    out.data(answer);
    out.table(
      ['NAME', 'ROLE', 'PASSWORD', 'ADDED', 'ID'],
      answer.items.map((user) => [
        user.name,
        user.role,
        user.has_password ? 'set' : 'none',
        user.created_at,
        user.user_id,
      ]),
    );
    return 0;
  },
};
