import type { BotEvent } from '../../../../contract/bot.ts';
import { toTimestamp } from '../../../../contract/common.ts';
import type { Failure } from '../../../../contract/failure.ts';
import type { RunRow } from '../../control/run-store.ts';

type Change = Failure['changes'][number];

const MOST_CHANGES = 20;

/**
 * Differences between the failed run and the last one that worked, oldest first: updates and host stops between their
 * beginnings, and host starts that began a run. Without a run that worked: everything in the events.
 */
export function changesBetween(input: {
  readonly worked: RunRow | null;
  readonly failed: RunRow;
  /** In any order. */
  readonly events: readonly BotEvent[];
  /** The runs from the one after `worked` to `failed`, in any order. */
  readonly runs: readonly RunRow[];
}): Change[] {
  const { worked, failed } = input;
  const from = worked?.createdAt ?? Number.NEGATIVE_INFINITY;
  const told = input.events.flatMap((event): Change[] => {
    const at = Date.parse(event.at);
    if (at <= from || at > failed.createdAt) return [];
    const stopped: Change[] =
      event.reason?.code === 'HOST_STOPPED' && event.kind !== 'updated'
        ? [{ at: event.at, what: 'host', message: 'The host was stopped' }]
        : [];
    return [...event.changes.map((change) => ({ at: event.at, ...change })), ...stopped];
  });
  const booted = input.runs
    .filter((run) => run.trigger === 'boot' && run.createdAt > from && run.createdAt <= failed.createdAt)
    .map(
      (run): Change => ({ at: toTimestamp(run.createdAt), what: 'host', message: 'The host started the bot again' }),
    );
  const untold = worked !== null && worked.version !== failed.version && !told.some(({ what }) => what === 'version');
  const version: Change[] = untold
    ? [{ at: toTimestamp(failed.createdAt), what: 'version', message: `Version ${worked.version} → ${failed.version}` }]
    : [];
  return [...told, ...booted, ...version].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(-MOST_CHANGES);
}
