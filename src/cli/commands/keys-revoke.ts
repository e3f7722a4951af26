import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<key>'],
  options: {},
  description: 'Revokes an API key, by its id or name. It stops working at once.',
  examples: ['platform keys revoke my-program'],
  async run({ client, out }, { positionals: [text = ''] }) {
    const host = await client();
    const { items } = await host.call('keys.list', {});
    const found = items.filter((key) => key.revoked_at === null && (key.key_id === text || key.name === text));
    const [key] = found;
    if (key === undefined) throw new PlatformError('KEY_NOT_FOUND');
    if (found.length > 1) {
      const hint = `Give the id: ${found.map((one) => one.key_id).join(', ')}.`;
      throw new PlatformError('INVALID_REQUEST', `${found.length} keys are named "${text}"`, { hint });
    }
    out.data(await host.call('keys.delete', { key_id: key.key_id }));
    out.line(`Revoked "${printable(key.name)}" (${key.key_id}).`);
    return 0;
  },
};
