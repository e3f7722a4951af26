import type { Reason } from '../../../contract/bot.ts';
import type { RunRow } from '../control/run-store.ts';
import type { Confinement, Listening, Unit } from '../engine/engine.ts';
import type { Prepared } from './unit-spec.ts';

/** Reason for which the host ends a run; `none` while the run goes on. */
export type StopIntent = 'none' | 'stop' | 'timeout';

/** A run that is going on in this host. */
export interface LiveRun {
  readonly run: RunRow;
  readonly botId: string;
  readonly epoch: number;
  readonly unit: Unit;
  /** Name of the engine that started the run; its bot may have another engine by now. */
  readonly engine: string;
  /** Null for adopted runs whose version can no longer be opened. */
  readonly prepared: Prepared | null;
  /**
   * Secret values with which its programs were started, including the token of its query port and passes for the gate. They must
   * not be stored.
   */
  secrets: readonly string[];
  /** The token that its query port demands; null for a bot without one. */
  readonly queryToken: string | null;
  query: Unit | null;
  queryFailures: number;
  intent: StopIntent;
  /** The end of the program, from its stop hook on; null while it is not asked to end. */
  ending: Promise<void> | null;
  /** Why its stop hook failed, in its own words; null if it did not. */
  hookError: string | null;
  /** A user asked for a restart: the next start counts as one, not as a change. */
  again: boolean;
  /** Ends with the run: deadline and restart timers. */
  readonly timers: Set<NodeJS.Timeout>;
  /** Exposure of the run to others than the host; null while none is known. */
  exposure: Reason | null;
}

/** The programs of a run, as far as it goes what holds them. */
export interface ConfinedRun {
  readonly unit: Pick<Unit, 'confinement'>;
  readonly query: Pick<Unit, 'confinement'> | null;
}

/** What holds the programs of these runs. */
export const confinementsOf = (runs: readonly ConfinedRun[]): readonly Confinement[] =>
  runs.flatMap(({ unit, query }) => [unit.confinement, ...(query === null ? [] : [query.confinement])]);

/** Addresses on which the programs of a run listen; null if unknown for one of them. */
export async function listeningOf({ unit, query }: LiveRun): Promise<Listening | null> {
  const units = query === null ? [unit] : [unit, query];
  const each = await Promise.all(units.map(async (one) => (await one.listening?.()) ?? null));
  if (each.includes(null)) return null;
  // Both programs of a run serve the same port.
  return { at: each.flatMap((one) => one?.at ?? []), queries: each[0]?.queries ?? null };
}

/** A run that has just begun, or was found again. */
export function liveRun(
  known: Pick<LiveRun, 'run' | 'epoch' | 'unit' | 'engine' | 'prepared' | 'secrets' | 'queryToken'>,
): LiveRun {
  return {
    ...known,
    botId: known.run.botId,
    query: null,
    queryFailures: 0,
    intent: 'none',
    ending: null,
    hookError: null,
    again: false,
    timers: new Set(),
    exposure: null,
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

/** Clears every timer of a run. */
export function clearTimers(live: LiveRun): void {
  for (const timer of live.timers) clearTimeout(timer);
  live.timers.clear();
}
