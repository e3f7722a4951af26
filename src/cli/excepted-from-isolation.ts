import { PlatformError } from '../contract/errors.ts';
import type { ExceptedBot } from '../contract/isolation.ts';
import type { Client } from './command.ts';

/** A bot of any user that runs with an exception, by name or id; BOT_NOT_FOUND, INVALID_REQUEST for a name of several. */
export async function exceptedBot(host: Client, text: string): Promise<ExceptedBot> {
  const { items } = await host.call('exceptions.list', {});
  const found = items.filter((bot) => bot.bot_id === text || bot.name === text);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (first === undefined) {
    throw new PlatformError('BOT_NOT_FOUND', `No bot "${text}" runs with an exception`, {
      hint: '`platform isolation list` shows those that do.',
    });
  }
  throw new PlatformError('INVALID_REQUEST', `${found.length} users have a bot "${text}"`, {
    hint: `Name it by its id: ${found.map((bot) => `${bot.bot_id} (of ${bot.user})`).join(', ')}.`,
  });
}
