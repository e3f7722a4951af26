import { PlatformError } from '../../../contract/errors.ts';
import { toTrashedBot } from '../bots/trash.ts';
import { type Handlers, isPerson } from './handler-types.ts';
import { ownTrashed, reaches } from './own-bot.ts';
import type { Services } from './services.ts';

/** Deleted bots. */
export function trashOperations({
  bots,
  trash,
  onError,
}: Services): Pick<Handlers, 'trash.list' | 'trash.restore' | 'trash.empty'> {
  return {
    'trash.list': (_, caller) => ({
      items: trash
        .list(caller.userId)
        .filter(({ botId }) => reaches(caller, botId))
        .map(toTrashedBot),
    }),
    'trash.restore': async ({ bot_id, name }, caller) => {
      return await trash.restore(ownTrashed(bots, caller, bot_id), name ?? null, isPerson(caller));
    },
    'trash.empty': async ({ bot_ids }, caller) => {
      const chosen =
        bot_ids === undefined
          ? trash.list(caller.userId)
          : [...new Set(bot_ids)].map((botId) => ownTrashed(bots, caller, botId));
      const removed: string[] = [];
      const failed: { bot_id: string; problem: string }[] = [];
      for (const bot of chosen) {
        try {
          await trash.erase(bot, isPerson(caller));
          removed.push(bot.botId);
        } catch (error) {
          onError(`${bot.botId} of the trash`, error);
          const known = error instanceof PlatformError ? error : new PlatformError('INTERNAL');
          failed.push({ bot_id: bot.botId, problem: `${known.message}. ${known.hint ?? ''}`.trim() });
        }
      }
      return { removed, failed };
    },
  };
}
