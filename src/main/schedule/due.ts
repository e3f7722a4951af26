import { type CronSchedule, nextRun } from '../../isomorphic/cron.ts';

/** A due time older than this when it is noticed was missed: the host was down, asleep, or the clock jumped. */
export const ON_TIME_MS = 60_000;
/** A missed due time younger than this is made up for once (wire.md section 11). */
export const CATCH_UP_MS = 3_600_000;
/** More missed times than this are recorded as one count, so that a year of minutes does not fill the history. */
export const MISSED_RECORDED = 500;

/** What to do about the due times in (from, now]. */
export interface Due {
  /** The due time to run now, if any, and why. */
  readonly run: { readonly slot: number; readonly trigger: 'schedule' | 'catch_up' } | null;
  /** Missed due times to record, oldest first; at most MISSED_RECORDED of the newest. */
  readonly missed: readonly number[];
  /** Missed due times beyond those. */
  readonly missedMore: number;
}

/** Decides about every due time after `from` up to and including `now` (milliseconds since the epoch). Pure. */
export function decideDue(schedule: CronSchedule, from: number, now: number, catchUp: 'run_once' | 'skip'): Due {
  const slots: number[] = [];
  let more = 0;
  for (let slot = nextRun(schedule, from); slot !== null && slot <= now; slot = nextRun(schedule, slot)) {
    slots.push(slot);
    if (slots.length > MISSED_RECORDED) {
      slots.shift();
      more += 1;
    }
  }
  const latest = slots.at(-1);
  if (latest === undefined) return { run: null, missed: [], missedMore: 0 };
  const late = now - latest;
  if (late <= ON_TIME_MS)
    return { run: { slot: latest, trigger: 'schedule' }, missed: slots.slice(0, -1), missedMore: more };
  if (late < CATCH_UP_MS && catchUp === 'run_once') {
    return { run: { slot: latest, trigger: 'catch_up' }, missed: slots.slice(0, -1), missedMore: more };
  }
  return { run: null, missed: slots, missedMore: more };
}
