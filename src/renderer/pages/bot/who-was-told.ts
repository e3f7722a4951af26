import type { Alarm } from '../../../contract/alarms.ts';

const OF_FAILURES = new Set(['failed', 'crash_loop', 'run_missed', 'run_too_slow']);
/** An alarm is stored with the event of the failure; the run itself may have ended a moment before. */
const SLACK_MS = 60_000;

/**
 * The alarms that told of what a failure card shows, newest first. A failure that goes on was told when it began: then the newest
 * alarm about a failure counts, unless the bot has recovered after it.
 */
export function alarmsOfFailure(alarms: readonly Alarm[], failedAt: string): readonly Alarm[] {
  const end = alarms.findIndex(
    ({ event, at }) => event === 'recovered' && Date.parse(at) < Date.parse(failedAt) - SLACK_MS,
  );
  const since = end === -1 ? alarms : alarms.slice(0, end);
  return since.filter(({ event }) => OF_FAILURES.has(event));
}
