import { PlatformError } from '../../contract/errors.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';

/** Whose bots are meant: a user's, or only some of them. */
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
 * The one place where a user meets a bot: somebody else's bot, one beyond the key and no bot at all give the same answer
 * (seed, Authentication rule 1; wire.md section 6).
 */
export function ownBot(bots: BotStore, who: Reach, botId: string): BotRow {
  const bot = bots.get(botId);
  if (bot === null || bot.userId !== who.userId || bot.deleting || !reaches(who, botId)) {
    throw new PlatformError('BOT_NOT_FOUND');
  }
  return bot;
}
