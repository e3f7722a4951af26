import { PlatformError } from '../contract/errors.ts';
import type { TrashedBot } from '../contract/trash.ts';
import type { Client } from './command.ts';

/** A deleted bot by its id or name; BOT_NOT_FOUND for none, INVALID_REQUEST with their ids where several had that name. */
export async function trashedBot(host: Client, text: string): Promise<TrashedBot> {
  const { items } = await host.call('trash.list', {});
  const found = items.filter((bot) => bot.bot_id === text || bot.name === text);
  const [only] = found;
  if (only === undefined) {
    throw new PlatformError('BOT_NOT_FOUND', `No bot ${JSON.stringify(text)} is in the trash`, {
      hint: 'List what is there with `platform trash list`.',
    });
  }
  if (found.length === 1) return only;
  const each = found.map(({ bot_id, deleted_at }) => `${bot_id} (deleted ${deleted_at})`).join(', ');
  throw new PlatformError('INVALID_REQUEST', `Several deleted bots were called ${JSON.stringify(text)}: ${each}`, {
    hint: 'Give the id of the one that you mean.',
  });
}
