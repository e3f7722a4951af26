import { settlesWithin } from '../../../node/bounded-wait.ts';
import type { LiveRun } from './live-run.ts';

/** Waits a limited time for the end of runs, because an engine may be away. Resolves to the runs that go on. */
export async function notEnded(runs: readonly LiveRun[], ms: number): Promise<readonly LiveRun[]> {
  const going = new Set(runs);
  await settlesWithin(ms, Promise.all(runs.map((live) => live.unit.exited.then(() => going.delete(live)))));
  return [...going];
}
