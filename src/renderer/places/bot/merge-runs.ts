import type { Run } from '../../../contract/bot.ts';

/** Runs newest first: what was read again takes the place of what was known, older pages stay. */
export function mergeRuns(known: readonly Run[], read: readonly Run[]): readonly Run[] {
  const byId = new Map([...known, ...read].map((run) => [run.run_id, run]));
  // Ids of runs sort by when they were made.
  return [...byId.values()].sort((a, b) => (a.run_id < b.run_id ? 1 : a.run_id > b.run_id ? -1 : 0));
}

/** What a bot wrote as its result, in one line. */
export function resultLine(result: unknown): string | null {
  if (result === null || result === undefined) return null;
  if (typeof result === 'string') return result;
  if (typeof result === 'object' && 'message' in result && typeof result.message === 'string') return result.message;
  const text = JSON.stringify(result);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** What set a run off, in words. */
export const TRIGGER_WORDS: Readonly<Record<Run['trigger'], string>> = {
  schedule: 'Schedule',
  manual: 'By hand',
  catch_up: 'Catch-up',
  query: 'Query',
  deploy: 'Deploy',
  restart: 'Restart',
  update: 'Update',
  boot: 'Start',
};
