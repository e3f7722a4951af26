import type { LiveRun } from './live-run.ts';

/** True when the work was done within so many ms; it goes on otherwise. */
export async function doneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the end of runs, but not for ever: an engine may be away. Resolves to the runs that go on. */
export async function notEnded(runs: readonly LiveRun[], ms: number): Promise<readonly LiveRun[]> {
  const going = new Set(runs);
  await doneWithin(ms, Promise.all(runs.map((live) => live.unit.exited.then(() => going.delete(live)))));
  return [...going];
}
