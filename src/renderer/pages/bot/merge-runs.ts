import type { Run } from '../../../contract/bot.ts';

/** Merges runs, newest first: newly read ones replace known ones, older pages stay. */
export function mergeRuns(known: readonly Run[], read: readonly Run[]): readonly Run[] {
  const byId = new Map([...known, ...read].map((run) => [run.run_id, run]));
  // Ids of runs sort by when they were made.
  return [...byId.values()].sort((a, b) => (a.run_id < b.run_id ? 1 : a.run_id > b.run_id ? -1 : 0));
}
