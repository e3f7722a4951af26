import { PlatformError } from '../../../contract/errors.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';

/** The present record: it may have changed, or the bot may be leaving, while a call waited for its turn. */
export function currentBot(bots: Pick<BotStore, 'get'>, { botId }: BotRow): BotRow {
  const bot = bots.get(botId);
  if (bot === null || bot.deleting || bot.trash !== null) throw new PlatformError('BOT_NOT_FOUND');
  return bot;
}

/** The present record. Throws STALE_GENERATION if the caller has seen another. */
export function unchangedBot(bots: Pick<BotStore, 'get'>, given: BotRow, ifGeneration: number | undefined): BotRow {
  const bot = currentBot(bots, given);
  if (ifGeneration === undefined || ifGeneration === bot.generation) return bot;
  const message = `${bot.name} has changed: you have seen generation ${ifGeneration}, it is ${bot.generation} now`;
  throw new PlatformError('STALE_GENERATION', message, {
    hint: 'Nothing was changed. Read the bot again and decide anew.',
    details: { generation: bot.generation },
  });
}
