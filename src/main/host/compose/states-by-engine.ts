import { PlatformError } from '../../../contract/errors.ts';
import type { BotStore } from '../control/bot-store.ts';
import type { Engines } from '../engine/engines.ts';
import type { StateView } from '../state/state-view.ts';

/** Services that find the states of bots. */
interface StateViewParts {
  readonly bots: Pick<BotStore, 'get' | 'all'>;
  readonly engines: Pick<Engines, 'get'>;
  /** Returns the state folder of a bot inside the data folder, where engines of this machine keep it. */
  readonly usual: (botId: string) => string;
}

/** Creates access to the states of a host's bots, each at the place where its engine keeps it. */
export function createStateViews({ bots, engines, usual }: StateViewParts) {
  const stateOf = (botId: string): StateView => {
    const bot = bots.get(botId);
    if (bot === null) throw new PlatformError('BOT_NOT_FOUND');
    return engines.get(bot.engine).state(botId);
  };
  return {
    of: stateOf,
    /** For a backup: the folders that hold states which do not lie in the data folder, by bot. */
    async elsewhere(): Promise<Record<string, string>> {
      const found: Record<string, string> = {};
      for (const { botId } of bots.all()) {
        const dir = await stateOf(botId).snapshot();
        if (dir !== usual(botId)) found[botId] = dir;
      }
      return found;
    },
  };
}
