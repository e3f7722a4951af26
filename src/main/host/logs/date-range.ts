import { invalid, type PlatformError } from '../../../contract/errors.ts';
import { parseIsoTime } from '../../../shared/parse-bot-time.ts';

const DAY = 86_400_000;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const DASHED = /^(\d{4})-(\d{2})-(\d{2})$/;
const RELATIVE = /^-(\d{1,6})([smhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY };
const HINT =
  'Days are YYYY-MM-DD or YYYYMMDD (UTC); a range is A/B with days, instants or times before now such as -15m, -2h or -1d, one of those alone (until now), or YYYYMMDD-YYYYMMDD.';

/** A range of time in ms since the epoch: `from` included, `to` excluded. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The range that `date` or `date_range` of a log query names: start included, a day as end included, an instant as end
 * excluded. Null when neither is given. Relative times count from `now`, ms since the epoch.
 * @throws PlatformError INVALID_REQUEST when a text is no such date, the end is not after the start, or both are given
 */
export function queryRange(
  query: { readonly date?: string | undefined; readonly date_range?: string | undefined },
  now: number,
): TimeRange | null {
  if (query.date !== undefined && query.date_range !== undefined) {
    throw invalid('INVALID_REQUEST', [{ path: 'date_range', message: 'give either date or date_range, not both' }]);
  }
  if (query.date !== undefined) return parseDate(query.date);
  return query.date_range === undefined ? null : parseDateRange(query.date_range, now);
}

/** One UTC day, `YYYY-MM-DD` or `YYYYMMDD`. */
export function parseDate(text: string): TimeRange {
  const from = dayStart(text.trim());
  if (from === null) throw wrong('date', `"${text}" is not a day of the calendar`);
  return { from, to: from + DAY };
}

/** `A/B` with days, instants or times before `now` (`-2h`), such a time alone, or `YYYYMMDD-YYYYMMDD`. */
export function parseDateRange(text: string, now: number): TimeRange {
  const since = before(text.trim(), now);
  // A line that is being stored may already be a moment younger than this clock.
  if (since !== null) return { from: since, to: now + DAY };
  const [a, b] = parts(text.trim());
  const from = dayStart(a) ?? before(a, now) ?? parseIsoTime(a);
  if (from === null) throw wrong('date_range', `its start "${a}" is neither a day nor an instant`);
  const endDay = dayStart(b);
  const to = endDay === null ? (before(b, now) ?? parseIsoTime(b)) : endDay + DAY;
  if (to === null) throw wrong('date_range', `its end "${b}" is neither a day nor an instant`);
  if (to <= from) throw wrong('date_range', `its end "${b}" is not after its start "${a}"`);
  return { from, to };
}

function parts(text: string): readonly [string, string] {
  const compact = /^(\d{8})-(\d{8})$/.exec(text);
  if (compact !== null) return [compact[1] ?? '', compact[2] ?? ''];
  const [a, b, ...more] = text.split('/');
  if (a === undefined || b === undefined || more.length > 0) throw wrong('date_range', `"${text}" is not a range`);
  return [a.trim(), b.trim()];
}

/** A time before now, such as `-15m`; null for other text. */
function before(text: string, now: number): number | null {
  const [, count, unit] = RELATIVE.exec(text) ?? [];
  return count === undefined || unit === undefined ? null : now - Number(count) * (UNIT_MS[unit] ?? 0);
}

/** Midnight UTC of a day, or null when the text is not a day. Checks the calendar: there is no 30 February. */
function dayStart(text: string): number | null {
  const [, year, month, day] = DASHED.exec(text) ?? COMPACT.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) ? date.getTime() : null;
}

function wrong(path: string, message: string): PlatformError {
  return invalid('INVALID_REQUEST', [{ path, message }], HINT);
}
