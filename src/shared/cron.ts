import { invalid, type PlatformError } from '../contract/errors.ts';

/**
 * A parsed cron expression as bit sets. Bit n of `hours` and `daysOfWeek` (0 = Sunday) stands for n, bit n-1 of
 * `daysOfMonth` and `months` for n; minutes 0-29 are in `minutesLow`, 30-59 in `minutesHigh`.
 */
export interface CronSchedule {
  /** The expression with single blanks between its fields. */
  readonly text: string;
  readonly minutesLow: number;
  readonly minutesHigh: number;
  readonly hours: number;
  readonly daysOfMonth: number;
  readonly months: number;
  readonly daysOfWeek: number;
  /**
   * Both day fields restrict: a day matches when either does (the rule of Kubernetes). Otherwise both must match, and
   * the unrestricted one always does.
   */
  readonly either: boolean;
  /** The hour field has only `*` and steps of it, so that hours go by elapsed time where a clock is set. */
  readonly anyHour: boolean;
}

interface FieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names in order, the first one standing for `min`. */
  readonly names: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const FIELDS: readonly FieldRule[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 7, names: DAYS },
];
const LONGEST = 500;
const MONTH_DAYS_MOST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

function refuse(message: string, hint: string): PlatformError {
  return invalid('INVALID_SCHEDULE', [{ path: 'schedule', message, hint }]);
}

function refuseField(rule: FieldRule, text: string, why: string, hint: string): PlatformError {
  return refuse(`${rule.name} field ${JSON.stringify(text)}: ${why}`, hint);
}

function range(rule: FieldRule): string {
  return rule.max === 7 ? '0-7 (0 and 7 are Sunday) or SUN-SAT' : `${rule.min}-${rule.max}`;
}

function unsupported(rule: FieldRule, field: string, part: string): PlatformError {
  if (part === '') return refuseField(rule, field, 'a value is missing beside a comma', 'Write a list as 1,2,3.');
  if (part.includes('?')) return refuseField(rule, field, '? is not supported', 'Write * instead of ?.');
  if (part.includes('#') || /^(?:L|LW|W|\d+[LW]|L-\d+)$/i.test(part)) {
    return refuseField(
      rule,
      field,
      `${JSON.stringify(part)}: L, W and # are not supported`,
      `Write plain values, ${range(rule)}.`,
    );
  }
  if (/^\w+\/\d+$/.test(part)) {
    const start = part.slice(0, part.indexOf('/'));
    const hint = `Write ${start}-${rule.max === 7 ? 6 : rule.max}${part.slice(start.length)}.`;
    return refuseField(rule, field, `${JSON.stringify(part)}: a step needs a range or * before it`, hint);
  }
  const names = rule.names.length > 0 ? `, or three-letter names such as ${rule.names[1]}` : '';
  return refuseField(
    rule,
    field,
    `${JSON.stringify(part)} is not a value, a range, or a step`,
    `Use ${range(rule)} as *, a, a-b, */n, a-b/n, joined by commas${names}.`,
  );
}

function parseValue(rule: FieldRule, field: string, part: string, text: string): number {
  if (!/^\d+$/.test(text)) {
    const index = rule.names.indexOf(text.toUpperCase());
    if (index < 0) throw unsupported(rule, field, part);
    return index + rule.min;
  }
  const value = Number(text);
  if (value < rule.min || value > rule.max) {
    throw refuseField(rule, field, `${text} is outside ${rule.min}-${rule.max}`, `Use values in ${range(rule)}.`);
  }
  return value;
}

const PART = /^(?:(\*)|(\d{1,4}|[a-z]{3})(?:-(\d{1,4}|[a-z]{3}))?)(?:\/(\d{1,4}))?$/i;

/** Values of one comma-separated part. `star`: it is `*` or a step of it. `open`: it is `*` or `*`/1, which restricts nothing. */
function parsePart(rule: FieldRule, field: string, part: string): Field {
  const match = PART.exec(part);
  if (match === null) throw unsupported(rule, field, part);
  const [, star, from, to, stepText] = match;
  if (stepText !== undefined && star === undefined && to === undefined) throw unsupported(rule, field, part);
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step === 0) throw refuseField(rule, field, 'a step of 0 never comes round', 'Use a step of 1 or more.');
  const low = from === undefined ? rule.min : parseValue(rule, field, part, from);
  const starHigh = rule.max === 7 ? 6 : rule.max;
  const high = star !== undefined ? starHigh : to === undefined ? low : parseValue(rule, field, part, to);
  if (high < low) {
    const hint = `Split it in two: ${from}-${starHigh},${rule.min}-${to}.`;
    throw refuseField(rule, field, `the range ${from}-${to} runs backwards`, hint);
  }
  const values: number[] = [];
  for (let value = low; value <= high; value += step) values.push(value);
  return { values: new Set(values), star: star !== undefined, open: star !== undefined && step === 1 };
}

interface Field {
  readonly values: ReadonlySet<number>;
  readonly star: boolean;
  readonly open: boolean;
}

function parseField(rule: FieldRule, field: string): Field {
  const parts = field.split(',').map((part) => parsePart(rule, field, part));
  const open = parts.some((part) => part.open);
  const star = open || parts.every((part) => part.star);
  return { values: new Set(parts.flatMap((part) => [...part.values])), star, open };
}

function splitFields(text: string): string[] {
  const trimmed = text.trim();
  const example = 'Write five fields: minute hour day-of-month month day-of-week, for example "0 14 * * 1-5".';
  if (trimmed === '') throw refuse('is empty', example);
  if (trimmed.length > LONGEST) throw refuse(`is longer than ${LONGEST} characters`, example);
  if (trimmed.startsWith('@')) {
    const same = NICKNAMES.get(trimmed.toLowerCase());
    const hint = same === undefined ? example : `Write "${same}" instead.`;
    throw refuse(`nicknames such as ${trimmed} are not supported`, hint);
  }
  const fields = trimmed.split(/[ \t]+/);
  if (fields.length === 6) {
    throw refuse(
      'has six fields; seconds and years are not supported',
      `Leave out the field for seconds (or years), for example "${fields.slice(1).join(' ')}".`,
    );
  }
  if (fields.length !== 5)
    throw refuse(`has ${fields.length} field${fields.length === 1 ? '' : 's'}, not five`, example);
  return fields;
}

function bits(values: Iterable<number>, offset: number): number {
  let set = 0;
  for (const value of values) if (value >= offset && value < offset + 32) set |= 1 << (value - offset);
  return set;
}

/**
 * Parses a five-field cron expression: `*`, lists, ranges, steps, three-letter names, 7 = Sunday.
 * Throws INVALID_SCHEDULE for everything else, and for dates that never come such as `0 0 30 2 *`.
 */
export function parseCron(text: string): CronSchedule {
  const fields = splitFields(text);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = FIELDS.map((rule, i) => parseField(rule, fields[i] ?? ''));
  if (!minute || !hour || !dayOfMonth || !month || !dayOfWeek) throw refuse('has fewer than five fields', '');
  const low = [...minute.values].filter((value) => value < 30);
  const high = [...minute.values].filter((value) => value >= 30);
  const schedule: CronSchedule = {
    text: fields.join(' '),
    minutesLow: bits(low, 0),
    minutesHigh: bits(high, 30),
    hours: bits(hour.values, 0),
    daysOfMonth: bits(dayOfMonth.values, 1),
    months: bits(month.values, 1),
    daysOfWeek: bits(
      [...dayOfWeek.values].map((value) => value % 7),
      0,
    ),
    either: !dayOfMonth.open && !dayOfWeek.open,
    anyHour: hour.star,
  };
  const possible = MONTH_DAYS_MOST.some((days, i) => {
    return ((schedule.months >> i) & 1) === 1 && (schedule.daysOfMonth & lowBits(days)) !== 0;
  });
  if (!possible && !schedule.either) {
    const hint = 'Choose a day that the month has, or write * for the month.';
    throw refuse(`day ${fields[2]} of month ${fields[3]} never comes, so it would never run`, hint);
  }
  return schedule;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** The last instant that a Date can hold, in milliseconds. */
const LAST_MS = 8.64e15;

const lowBits = (count: number): number => (count >= 31 ? 0x7fffffff : (1 << count) - 1);
/** Lowest member not below `from` (0-31), or -1. */
function atOrAfter(set: number, from: number): number {
  const rest = from > 30 ? 0 : set & (-1 << from);
  return rest === 0 ? -1 : 31 - Math.clz32(rest & -rest);
}

function minuteAtOrAfter(s: CronSchedule, from: number): number {
  const low = from < 30 ? atOrAfter(s.minutesLow, from) : -1;
  if (low >= 0) return low;
  const high = atOrAfter(s.minutesHigh, Math.max(0, from - 30));
  return high < 0 ? -1 : high + 30;
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysIn = (year: number, month: number): number =>
  month === 1 && !isLeap(year) ? 28 : (MONTH_DAYS_MOST[month] ?? 31);

/** Matching days of a month as bits (bit 0 = the 1st). `first` is the day number of the 1st since 1970-01-01. */
function daysOf(s: CronSchedule, year: number, month: number, first: number): number {
  if (((s.months >> month) & 1) === 0) return 0;
  const weekday = (((first + 4) % 7) + 7) % 7;
  const week = ((s.daysOfWeek >> weekday) | (s.daysOfWeek << (7 - weekday))) & 0x7f;
  const weeks = week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
  return (s.either ? s.daysOfMonth | weeks : s.daysOfMonth & weeks) & lowBits(daysIn(year, month));
}

/** Minute of the day of the first due time not before `from`, or -1. */
function timeAtOrAfter(s: CronSchedule, from: number): number {
  const hour = Math.floor(from / 60);
  if (hour < 24 && ((s.hours >> hour) & 1) === 1) {
    const minute = minuteAtOrAfter(s, from % 60);
    if (minute >= 0) return hour * 60 + minute;
  }
  const later = atOrAfter(s.hours, hour + 1);
  return later < 0 ? -1 : later * 60 + minuteAtOrAfter(s, 0);
}

const inTime = (ms: number): number | null => (Math.abs(ms) <= LAST_MS ? ms : null);

/**
 * The first due time strictly after `afterMs` (milliseconds since the epoch, UTC), or null when it lies beyond the last
 * date that JavaScript has. Goes from month to month by bit sets: about 0.3 µs. `afterMs` must be a finite number.
 */
export function nextRun(schedule: CronSchedule, afterMs: number): number | null {
  if (!Number.isFinite(afterMs)) throw new RangeError(`nextRun needs a time in milliseconds, got ${afterMs}`);
  const start = Math.floor(afterMs / MINUTE_MS) + 1;
  if (inTime(start * MINUTE_MS) === null) return start < 0 ? nextRun(schedule, -LAST_MS) : null;
  const date = new Date(start * MINUTE_MS);
  let year = date.getUTCFullYear();
  let month = date.getUTCMonth();
  const today = Math.floor(start / DAY_MINUTES);
  const dayOfMonth = date.getUTCDate() - 1;
  let first = today - dayOfMonth;
  let days = daysOf(schedule, year, month, first);
  if (((days >> dayOfMonth) & 1) === 1) {
    const time = timeAtOrAfter(schedule, start - today * DAY_MINUTES);
    if (time >= 0) return (today * DAY_MINUTES + time) * MINUTE_MS;
  }
  let day = atOrAfter(days, dayOfMonth + 1);
  while (day < 0) {
    first += daysIn(year, month);
    month += 1;
    if (month === 12) {
      month = 0;
      year += 1;
    }
    if (first * DAY_MINUTES * MINUTE_MS > LAST_MS) return null;
    days = daysOf(schedule, year, month, first);
    day = atOrAfter(days, 0);
  }
  return inTime(((first + day) * DAY_MINUTES + timeAtOrAfter(schedule, 0)) * MINUTE_MS);
}
