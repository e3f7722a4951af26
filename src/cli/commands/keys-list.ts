import type { ApiKey } from '../../contract/account.ts';
import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';

function stateOf(key: ApiKey, now: number): string {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && Date.parse(key.expires_at) <= now ? 'expired' : 'valid';
}

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Lists your API keys, never the keys themselves.',
  examples: ['platform keys list'],
  async run({ client, name, out }) {
    const host = await client();
    const answer = await host.call('keys.list', {});
    out.data(answer);
    const now = Date.now();
    if (answer.items.length === 0) out.line(`No keys yet. Make one with: ${typed(name, 'keys create', 'my-program')}`);
    else {
      out.table(
        ['NAME', 'STATE', 'SCOPE', 'BOTS', 'LAST USED', 'EXPIRES', 'ID'],
        answer.items.map((key) => [
          key.name,
          stateOf(key, now),
          [key.scope, ...(key.extended ? ['extended'] : [])].join(' + '),
          key.bots === null ? 'all' : key.bots.join(' '),
          key.last_used_at ?? 'never',
          key.expires_at ?? 'never',
          key.key_id,
        ]),
      );
    }
    return 0;
  },
};
