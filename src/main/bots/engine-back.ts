import type { Engines } from '../engine/engines.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Journal } from './journal.ts';
import { isStuck } from './left-programs.ts';
import type { Supervisor } from './supervisor.ts';

export interface EngineBackDeps {
  readonly engines: Engines;
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly journal: Journal;
  readonly supervisor: Pick<Supervisor, 'exclusively' | 'kick'>;
  readonly onError: (where: string, error: unknown) => void;
}

/** What the return of its engine changes about a bot: one that only waited for that is tried again at once. */
function revived(bot: BotRow): Partial<BotRow> | null {
  // Whether its old program runs is asked with every step of a stuck bot.
  if (bot.reason?.code !== 'ENGINE_UNAVAILABLE' || isStuck(bot)) return null;
  const waits = bot.status === 'failed' || bot.status === 'backing_off';
  const status = waits && bot.enabled ? ({ status: 'starting' } as const) : {};
  return { ...status, reason: null, failures: 0, nextAttemptAt: null };
}

/** Brings the bots of an engine in line when it answers again: their waits are over. */
export function followEngines(d: EngineBackDeps): void {
  const again = async (botId: string): Promise<void> => {
    await d.supervisor.exclusively(botId, () => {
      const bot = d.bots.get(botId);
      const change = bot === null || bot.deleting ? null : revived(bot);
      if (change !== null) d.journal.change(botId, change);
    });
    d.supervisor.kick(botId, 'boot');
  };
  for (const engine of d.engines.all()) {
    engine.onBack(() => {
      // A bot that was given another engine may still have a program of this one.
      const left = new Set(d.runs.units().flatMap((unit) => (unit.engine === engine.name ? [unit.botId] : [])));
      for (const { botId, engine: name } of d.bots.all()) {
        if (name !== engine.name && !left.has(botId)) continue;
        again(botId).catch((error: unknown) => d.onError(`engine of ${botId} is back`, error));
      }
    });
  }
}
