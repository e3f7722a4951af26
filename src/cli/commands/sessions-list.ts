import type { Command } from '../command.ts';
import { userByName } from '../user-by-name.ts';

export const command: Command = {
  positionals: [],
  options: { user: { type: 'string', value: 'NAME', help: 'Those of this user. Owner only' } },
  description:
    'Lists the browsers and programs that are logged in as you, newest first. Keys are listed by `keys list`.',
  examples: ['platform sessions list', 'platform sessions list --user alice'],
  async run({ client, out }, args) {
    const host = await client();
    const name = args.text('user');
    const answer = await host.call(
      'sessions.list',
      name === undefined ? {} : { user_id: (await userByName(host, name)).user_id },
    );
    out.data(answer);
    if (answer.items.length === 0) out.line('No browser and no program is logged in.');
    else {
      out.table(
        ['ID', 'SINCE', 'LAST USED', 'ENDS', 'FROM', 'CLIENT'],
        answer.items.map((one) => [
          one.session_id,
          one.created_at,
          one.last_used_at ?? '',
          one.expires_at,
          one.source ?? '',
          one.client ?? '',
        ]),
      );
    }
    return 0;
  },
};
