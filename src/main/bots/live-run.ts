import type { Unit } from '../engine/engine.ts';
import type { RunRow } from '../store/run-store.ts';
import type { Prepared } from './launcher.ts';

/** Why a run is being ended by us; `none` while it goes on by itself. */
export type StopIntent = 'none' | 'stop' | 'timeout';

/** A run that is going on in this host. */
export interface LiveRun {
  readonly run: RunRow;
  readonly botId: string;
  readonly generation: number;
  readonly unit: Unit;
  /** Name of the engine that started it; its bot may have been given another one since. */
  readonly engine: string;
  /** Null for adopted runs whose version can no longer be opened. */
  readonly prepared: Prepared | null;
  /** Secret values it was started with. */
  readonly secrets: readonly string[];
  query: Unit | null;
  queryFailures: number;
  intent: StopIntent;
  /** Somebody asked for it to be started anew: what follows is told as a restart, not as a change. */
  again: boolean;
  /** Ends with the run: deadline and restart timers. */
  readonly timers: Set<NodeJS.Timeout>;
}

/** A run that has just begun, or was found again. */
export function liveRun(
  known: Pick<LiveRun, 'run' | 'generation' | 'unit' | 'engine' | 'prepared' | 'secrets'>,
): LiveRun {
  return {
    ...known,
    botId: known.run.botId,
    query: null,
    queryFailures: 0,
    intent: 'none',
    again: false,
    timers: new Set(),
  };
}

/** Runs a function later, unless the run ends before. Long waits are cut into pieces that a timer can hold. */
export function later(live: LiveRun, ms: number, job: () => void): void {
  const step = Math.min(ms, 2 ** 31 - 1);
  const timer = setTimeout(() => {
    live.timers.delete(timer);
    if (step < ms) later(live, ms - step, job);
    else job();
  }, step);
  live.timers.add(timer);
}

/** Stops every timer of a run. */
export function clearTimers(live: LiveRun): void {
  for (const timer of live.timers) clearTimeout(timer);
  live.timers.clear();
}
