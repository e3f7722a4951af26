import type { Reason } from '../../contract/bot.ts';
import type { Engines } from '../engine/engines.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Journal } from './journal.ts';
import { isStuck } from './left-programs.ts';
import { reason } from './reasons.ts';
import type { Supervisor } from './supervisor.ts';

export interface EngineWatchDeps {
  readonly engines: Engines;
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly journal: Journal;
  readonly now: () => number;
  readonly supervisor: Pick<Supervisor, 'exclusively' | 'kick'>;
  readonly onError: (where: string, error: unknown) => void;
}

/** What a bot does is not known while its engine cannot be reached. */
const LOST = 'ENGINE_LOST';

function unknown(engine: string, at: number): Reason {
  const message = `Engine ${engine} does not answer, so nobody can tell whether this bot still runs`;
  return reason(LOST, message, 'What happened is looked up as soon as the engine is back. Start it again.', at);
}

/** What the return of its engine changes about a bot: one that only waited for that is tried again at once. */
function revived(bot: BotRow): Partial<BotRow> | null {
  if (bot.reason?.code === LOST) return { reason: null };
  // Whether its old program runs is asked with every step of a stuck bot.
  if (bot.reason?.code !== 'ENGINE_UNAVAILABLE' || isStuck(bot)) return null;
  const waits = bot.status === 'failed' || bot.status === 'backing_off';
  const status = waits && bot.enabled ? ({ status: 'starting' } as const) : {};
  return { ...status, reason: null, failures: 0, nextAttemptAt: null };
}

/** Tells of bots whose engine cannot be reached, and brings them in line when it answers again: their waits are over. */
export function followEngines(d: EngineWatchDeps): void {
  const again = async (botId: string): Promise<void> => {
    await d.supervisor.exclusively(botId, () => {
      const bot = d.bots.get(botId);
      const change = bot === null || bot.deleting ? null : revived(bot);
      if (change !== null) d.journal.change(botId, change);
    });
    d.supervisor.kick(botId, 'boot');
  };
  const withPrograms = (engine: string): Set<string> =>
    new Set(d.runs.units().flatMap((unit) => (unit.engine === engine ? [unit.botId] : [])));
  const lost = (engine: string, botId: string): Promise<void> =>
    d.supervisor.exclusively(botId, () => {
      const bot = d.bots.get(botId);
      if (bot === null || bot.deleting || isStuck(bot) || !withPrograms(engine).has(botId)) return;
      d.journal.change(botId, { reason: unknown(engine, d.now()) });
    });
  for (const engine of d.engines.all()) {
    engine.onLost(() => {
      for (const botId of withPrograms(engine.name)) {
        lost(engine.name, botId).catch((error: unknown) => d.onError(`engine of ${botId} is lost`, error));
      }
    });
    engine.onBack(() => {
      // A bot that was given another engine may still have a program of this one.
      const left = withPrograms(engine.name);
      for (const { botId, engine: name } of d.bots.all()) {
        if (name !== engine.name && !left.has(botId)) continue;
        again(botId).catch((error: unknown) => d.onError(`engine of ${botId} is back`, error));
      }
    });
  }
}
