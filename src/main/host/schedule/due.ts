import { nextDue, type Schedule } from '../../../shared/schedule.ts';

/** A due time older than this when it is noticed was missed: the host was down, asleep, or the clock jumped. */
export const ON_TIME_MS = 60_000;
/** A missed due time younger than this gets one catch-up run; older ones are only recorded. */
export const CATCH_UP_MS = 3_600_000;
/** More missed times than this are recorded as one count, so that a year of minutes does not fill the history. */
export const MISSED_RECORDED = 500;

/** Decision about the due times in (from, now]. */
export interface Due {
  /** The due time to run now, if any, and why. */
  readonly run: { readonly scheduledAt: number; readonly trigger: 'schedule' | 'catch_up' } | null;
  /** Missed due times to record, oldest first; at most MISSED_RECORDED of the newest. */
  readonly missed: readonly number[];
  /** Number of missed due times beyond those. */
  readonly missedMore: number;
}

/**
 * Decides about every due time after `from` up to and including `now` (milliseconds since the epoch). A due time before
 * `upSince` passed while no host ran, and its run is a catch-up, however late. Pure.
 */
export function decideDue(
  schedule: Schedule,
  from: number,
  now: number,
  catchUp: 'run_once' | 'skip',
  upSince = Number.NEGATIVE_INFINITY,
): Due {
  const dueTimes: number[] = [];
  let more = 0;
  for (
    let dueTime = nextDue(schedule, from);
    dueTime !== null && dueTime <= now;
    dueTime = nextDue(schedule, dueTime)
  ) {
    dueTimes.push(dueTime);
    if (dueTimes.length > MISSED_RECORDED) {
      dueTimes.shift();
      more += 1;
    }
  }
  const latest = dueTimes.at(-1);
  if (latest === undefined) return { run: null, missed: [], missedMore: 0 };
  const late = now - latest;
  const trigger = latest < upSince ? 'catch_up' : 'schedule';
  if (late <= ON_TIME_MS)
    return { run: { scheduledAt: latest, trigger }, missed: dueTimes.slice(0, -1), missedMore: more };
  if (late < CATCH_UP_MS && catchUp === 'run_once') {
    return { run: { scheduledAt: latest, trigger: 'catch_up' }, missed: dueTimes.slice(0, -1), missedMore: more };
  }
  return { run: null, missed: dueTimes, missedMore: more };
}
