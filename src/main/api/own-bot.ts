import { PlatformError } from '../../contract/errors.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';

/**
 * The one place where a user meets a bot: somebody else's bot and no bot at all give the same answer
 * (seed, Authentication rule 1; wire.md section 6).
 */
export function ownBot(bots: BotStore, userId: string, botId: string): BotRow {
  const bot = bots.get(botId);
  if (bot === null || bot.userId !== userId || bot.deleting) throw new PlatformError('BOT_NOT_FOUND');
  return bot;
}
