import type { BotStore } from '../control/bot-store.ts';
import type { RunStore } from '../control/run-store.ts';
import type { Engines } from '../engine/engines.ts';
import type { Supervisor } from './supervisor.ts';

export interface EngineWatchDeps {
  readonly engines: Engines;
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly supervisor: Pick<Supervisor, 'tell'>;
  readonly onError: (where: string, error: unknown) => void;
}

/** Reports the loss of an engine to bots with programs there, and reconciles its bots when it answers again. */
export function followEngines(deps: EngineWatchDeps): void {
  const withPrograms = (engine: string): Set<string> =>
    new Set(deps.runs.units().flatMap((unit) => (unit.engine === engine ? [unit.botId] : [])));
  for (const engine of deps.engines.all()) {
    engine.onLost(() => {
      for (const botId of withPrograms(engine.name)) {
        deps.supervisor
          .tell(botId, () => ({ is: 'engineLost', engine: engine.name }))
          .catch((error: unknown) => deps.onError(`engine of ${botId} is lost`, error));
      }
    });
    engine.onBack(() => {
      // A bot that was given another engine may still have a program of this one.
      const left = withPrograms(engine.name);
      for (const { botId, engine: name } of deps.bots.all()) {
        if (name !== engine.name && !left.has(botId)) continue;
        const told = deps.supervisor.tell(botId, () => ({ is: 'engineBack' }));
        told.catch((error: unknown) => deps.onError(`engine of ${botId} is back`, error));
      }
    });
  }
}
