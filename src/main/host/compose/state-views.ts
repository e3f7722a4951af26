import { PlatformError } from '../../../contract/errors.ts';
import type { BotStore } from '../control/bot-store.ts';
import type { Engines } from '../engine/engines.ts';
import type { StateView } from '../state/state-view.ts';

/** What the states of bots are found by. */
interface StateViewParts {
  readonly bots: Pick<BotStore, 'get' | 'all'>;
  readonly engines: Pick<Engines, 'get'>;
  /** The folder with the state of a bot in the data folder, where engines of this machine keep it. */
  readonly usual: (botId: string) => string;
}

/** The states of a host's bots, each where the engine of its bot keeps it. */
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
