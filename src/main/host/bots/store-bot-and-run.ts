import { isUnwritable } from '../../../node/storage-error.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunStore } from '../control/run-store.ts';
import type { Journal } from './journal.ts';
import type { RecordAction } from './plan-types.ts';

/** Finished runs that are kept of each bot. */
const RUNS_KEPT = 1000;

interface RecordDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly journal: Journal;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** Stores a change of a bot, the change of its run, and the event that reports both, in one transaction. */
export function storeRecord(
  { bots, runs, journal, now, onError }: RecordDeps,
  { botId }: BotRow,
  action: RecordAction,
): void {
  const { change, kind, runId, end, forgets, evenOnFullDisk, isOver } = action;
  const also = (): void => {
    if (runId === undefined) return;
    if (end !== undefined) runs.end(runId, end);
    if (forgets === 'bot') runs.removeUnit(runId, 'bot');
    if (forgets === 'all') runs.removeUnits(runId);
    if (end !== undefined) runs.prune(botId, RUNS_KEPT);
  };
  try {
    journal.change(botId, change, { runId: runId ?? null, ...(kind === undefined ? {} : { kind }), also });
  } catch (error) {
    if (isOver === true && isUnwritable(error)) bots.endIsOver(botId, now());
    if (evenOnFullDisk !== true || !isUnwritable(error)) throw error;
    onError(`stop of ${botId}`, error);
  }
}
