import { type CronSchedule, nextRun, parseCron } from './cron.ts';
import { checkTimeZone, zoneSpanAt } from './time-zone.ts';

/** A cron expression with the time zone whose clock it goes by. */
export interface Schedule {
  readonly cron: CronSchedule;
  /** A name of the tz database. */
  readonly timezone: string;
}

/** The zone of a schedule that names none. */
export const DEFAULT_TIMEZONE = 'UTC';

const MINUTE_MS = 60_000;
/** No clock is further ahead of UTC. */
const MOST_AHEAD_MS = 15 * 3_600_000;

/** Parses a schedule. Throws INVALID_SCHEDULE that names `schedule` or `timezone`. */
export function parseSchedule(text: string, timezone: string): Schedule {
  checkTimeZone(timezone);
  return { cron: parseCron(text), timezone };
}

/**
 * The instant of a time on the wall clock, as milliseconds of a UTC clock that reads the same. Of a time that the clock
 * repeats the first instant, of one that it skips the end of the gap.
 */
function instantOf(zone: string, local: number): number {
  let span = zoneSpanAt(zone, local - MOST_AHEAD_MS);
  while (local - span.offset >= span.end) span = zoneSpanAt(zone, span.end);
  return Math.max(local - span.offset, span.start);
}

/** Goes by the wall clock: a time that the clock repeats is due once, one that it skips at the end of the gap. */
function nextByClock({ cron, timezone }: Schedule, afterMs: number): number | null {
  let local = nextRun(cron, afterMs + zoneSpanAt(timezone, afterMs).offset);
  while (local !== null) {
    const instant = instantOf(timezone, local);
    if (instant > afterMs) return instant;
    local = nextRun(cron, local);
  }
  return null;
}

/** Goes by elapsed time: every minute at which the wall clock matches is due, in both hours of a repeated one. */
function nextByElapsedTime({ cron, timezone }: Schedule, afterMs: number): number | null {
  let from = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  for (;;) {
    const { offset, end } = zoneSpanAt(timezone, from);
    const local = nextRun(cron, from + offset - 1);
    if (local === null) return null;
    if (local - offset < end) return local - offset;
    from = end;
  }
}

/**
 * The first due time strictly after `afterMs` (milliseconds since the epoch, UTC), or null when it lies beyond the last
 * date that JavaScript has. A due time is an instant of UTC, so that no setting of a clock makes it come twice.
 * Where the hour field is `*` or a step of it, hours go by elapsed time, else by the wall clock of the zone.
 */
export function nextDue(schedule: Schedule, afterMs: number): number | null {
  if (schedule.timezone === DEFAULT_TIMEZONE) return nextRun(schedule.cron, afterMs);
  return schedule.cron.anyHour ? nextByElapsedTime(schedule, afterMs) : nextByClock(schedule, afterMs);
}
