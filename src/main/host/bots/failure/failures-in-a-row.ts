import type { BotType } from '../../../../contract/bot.ts';
import type { RunRow } from '../../control/run-store.ts';
import { STEADY_MS } from '../backoff.ts';
import { isFailure } from './classify.ts';

/** A failed run among the runs before it. */
export interface FailuresInARow {
  /** Failures in a row, this one included. */
  readonly repeats: number;
  /** The last run that worked; the failed run itself when it had worked for long. */
  readonly worked: RunRow | null;
  /** The runs after `worked`, this one included. */
  readonly since: readonly RunRow[];
}

/** Runs and due times that are over. */
export function isOver({ status }: RunRow): boolean {
  return status !== 'starting' && status !== 'running';
}

/** True when a run did its work; of a realtime bot, when it went on until it was stopped, or for STEADY_MS. */
function didWork(run: RunRow, type: BotType): boolean {
  if (run.status === 'succeeded') return true;
  if (type === 'scheduled' || run.startedAt === null) return false;
  if (run.status === 'stopped') return run.signal !== 'SIGKILL';
  return run.endedAt !== null && run.endedAt - run.startedAt >= STEADY_MS;
}

/** Looks back from a failed run; `runs` newest first, beginning with it. */
export function failuresInARow(runs: readonly RunRow[], type: BotType): FailuresInARow {
  const [failed] = runs;
  if (failed === undefined) return { repeats: 0, worked: null, since: [] };
  if (didWork(failed, type)) return { repeats: 1, worked: failed, since: [failed] };
  const place = runs.findIndex((run) => didWork(run, type));
  const since = place < 0 ? runs : runs.slice(0, place);
  const skipped = failed.status === 'skipped';
  const repeats = since.filter((run) => isFailure(run) && (run.status === 'skipped') === skipped).length;
  return { repeats, worked: runs[place] ?? null, since };
}
