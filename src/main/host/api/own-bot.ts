import { PlatformError } from '../../../contract/errors.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';

/** The bots in reach: all of a user, or some of them. */
export interface Reach {
  readonly userId: string;
  /** The only bots the caller's key reaches; null: all of the user. */
  readonly botIds: ReadonlySet<string> | null;
}

/** True when the caller's key reaches this bot of its user. */
export function reaches({ botIds }: Reach, botId: string): boolean {
  return botIds === null || botIds.has(botId);
}

/**
 * The one place where a user meets a bot. Another user's bot, one beyond the key and a missing one give the same
 * answer, so that ids reveal nothing (docs/api.md#keys).
 */
export function ownBot(bots: BotStore, who: Reach, botId: string): BotRow {
  const bot = anyOwn(bots, who, botId);
  if (bot !== null && bot.trash === null) return bot;
  throw new PlatformError('BOT_NOT_FOUND');
}

/** As `ownBot`, for a bot in the trash: nowhere else is it met. */
export function ownTrashed(bots: BotStore, who: Reach, botId: string): BotRow {
  const bot = anyOwn(bots, who, botId);
  if (bot !== null && bot.trash !== null) return bot;
  throw new PlatformError('BOT_NOT_FOUND', 'No bot with this id is in the trash', {
    hint: 'List what is there with `platform trash list`.',
  });
}

function anyOwn(bots: BotStore, who: Reach, botId: string): BotRow | null {
  const bot = bots.get(botId);
  return bot === null || bot.userId !== who.userId || bot.deleting || !reaches(who, botId) ? null : bot;
}
