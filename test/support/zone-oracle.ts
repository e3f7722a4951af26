import { nextDue, parseSchedule } from '../../src/shared/schedule.ts';
import { oracleMatches } from './cron-oracle.ts';

/**
 * A second, deliberately plain reading of schedules in a time zone: it reads the wall clock at every minute around each
 * change of the clock and remembers what the clock has shown. It shares no code with src/shared/schedule.ts and
 * src/shared/time-zone.ts.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export type WallClock = (ms: number) => number;

/** The wall clock of a zone: what it shows at an instant, as ms of a UTC clock that shows the same. */
export function wallClock(zone: string): WallClock {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, ...digits });
  return (ms) => Date.parse(`${format.format(ms).replace(' ', 'T')}:00Z`);
}

/** The first minute after each change of the clock between two whole hours. */
export function clockChanges(wall: WallClock, fromMs: number, toMs: number): number[] {
  const ahead = (at: number): number => wall(at) - at;
  const changes: number[] = [];
  for (let at = fromMs; at < toMs; at += 12 * HOUR) {
    const end = at + 12 * HOUR;
    if (ahead(at) === ahead(end)) continue;
    let low = at;
    let high = end;
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / MINUTE / 2) * MINUTE;
      if (ahead(middle) === ahead(low)) low = middle;
      else high = middle;
    }
    changes.push(high);
  }
  return changes;
}

/** True for an hour field of `*` and steps alone, or with a `*` among others. */
function goesByElapsedTime(expression: string): boolean {
  const parts = expression.split(' ')[1]?.split(',') ?? [];
  return parts.every((part) => part.startsWith('*')) || parts.some((part) => part === '*' || part === '*/1');
}

/** A minute and what the clock shows at it. */
interface Minute {
  readonly at: number;
  readonly shows: number;
}

/** The minutes of a window, read one by one. */
function readMinutes(wall: WallClock, fromMs: number, toMs: number): Minute[] {
  return Array.from({ length: (toMs - fromMs) / MINUTE }, (_, index) => {
    const at = fromMs + index * MINUTE;
    return { at, shows: wall(at) };
  });
}

/** Due minutes of a window from `fromMs` on: one by one, with in mind what the clock has shown in it before. */
function dueMinutes(expression: string, minutes: readonly Minute[], fromMs: number): number[] {
  const elapsed = goesByElapsedTime(expression);
  const shown = new Set<number>();
  const due: number[] = [];
  let before = minutes[0]?.shows ?? 0;
  for (const { at, shows } of minutes) {
    let isDue = oracleMatches(expression, shows) && (elapsed || !shown.has(shows));
    for (let skipped = before + MINUTE; !elapsed && skipped < shows; skipped += MINUTE) {
      isDue ||= oracleMatches(expression, skipped);
    }
    shown.add(shows);
    before = shows;
    if (isDue && at >= fromMs) due.push(at);
  }
  return due;
}

function productMinutes(expression: string, zone: string, fromMs: number, toMs: number): number[] {
  const schedule = parseSchedule(expression, zone);
  const due: number[] = [];
  for (let at = nextDue(schedule, fromMs - 1); at !== null && at < toMs; at = nextDue(schedule, at)) due.push(at);
  return due;
}

export interface ZoneComparison {
  readonly changes: number;
  readonly windows: number;
  readonly due: number;
  readonly differences: readonly string[];
}

/** Compares both readings around every change of the clocks of these zones. */
export function compareZones(
  zones: readonly string[],
  expressions: readonly string[],
  [fromMs, toMs]: readonly [number, number],
): ZoneComparison {
  const differences: string[] = [];
  const known = new Set<string>();
  let [changes, windows, due] = [0, 0, 0];
  for (const zone of zones) {
    const wall = wallClock(zone);
    const found = clockChanges(wall, fromMs, toMs);
    // Many zones have been one for 50 years.
    const history = found.map((at) => `${at} ${wall(at)}`).join();
    if (known.has(history)) continue;
    known.add(history);
    for (const change of found) {
      const shift = Math.abs(wall(change) - wall(change - MINUTE) - MINUTE);
      const [start, end] = [change - 2 * HOUR - shift, change + 2 * HOUR + shift];
      const minutes = readMinutes(wall, start - shift, end);
      changes += 1;
      for (const expression of expressions) {
        const wanted = dueMinutes(expression, minutes, start);
        const given = productMinutes(expression, zone, start, end);
        windows += 1;
        due += wanted.length;
        if (wanted.join() === given.join() || differences.length >= 20) continue;
        const text = (times: readonly number[]): string => times.map((at) => new Date(at).toISOString()).join(' ');
        differences.push(`${zone} "${expression}": oracle ${text(wanted)}; product ${text(given)}`);
      }
    }
  }
  return { changes, windows, due, differences };
}

/** Fixed hours, open hours and steps near the hours at which clocks are set. */
export const EXPRESSIONS_NEAR_CHANGES = [
  '30 2 * * *',
  '0 2,3 * * *',
  '*/20 0-3 * * *',
  '15 */2 * * *',
  '*/25 * * * *',
  '5 0-23 * * *',
  '1 0 * * *',
  '59 23 * * 6,0',
  '0 9 * * *',
];
