import { type CronSchedule, parseCron } from './cron.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** Times of day are listed up to this many, else described as a pattern. */
const TIMES_LISTED = 6;

function members(set: number, offset: number): number[] {
  const found: number[] = [];
  for (let bit = 0; bit < 31; bit++) if (((set >> bit) & 1) === 1) found.push(bit + offset);
  return found;
}

function list(words: readonly (string | number)[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');
const clock = (hour: number, minute: number): string => `${two(hour)}:${two(minute)}`;
const consecutive = (values: readonly number[]): boolean =>
  values.length > 2 && values.every((value, i) => value === (values[0] ?? 0) + i);

/** The step of values that begin at 0 and fill 0..size-1 evenly, or 0. */
function evenStep(values: readonly number[], size: number): number {
  const step = values[1] ?? 0;
  if (values[0] !== 0 || step < 2 || size % step !== 0 || values.length !== size / step) return 0;
  return values.every((value, i) => value === i * step) ? step : 0;
}

/** `January, March to May and July`: runs of three and more as "to". */
function names(values: readonly number[], name: (value: number) => string): string {
  const words: string[] = [];
  for (let i = 0; i < values.length; ) {
    let end = i;
    while (values[end + 1] === (values[end] ?? 0) + 1) end += 1;
    if (end - i >= 2) words.push(`${name(values[i] ?? 0)} to ${name(values[end] ?? 0)}`);
    else for (let at = i; at <= end; at++) words.push(name(values[at] ?? 0));
    i = end + 1;
  }
  return list(words);
}

function describeTime(
  minutes: readonly number[],
  hours: readonly number[],
  timezone: string,
): { text: string; fixed: boolean } {
  const firstMinute = minutes[0] ?? 0;
  const lastMinute = minutes.at(-1) ?? 0;
  const firstHour = hours[0] ?? 0;
  const lastHour = hours.at(-1) ?? 0;
  const everyHour = hours.length === 24;
  if (minutes.length * hours.length <= TIMES_LISTED) {
    const times = hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute)));
    return { text: `at ${list(times)} ${timezone}`, fixed: true };
  }
  const step = minutes.length === 60 ? 1 : evenStep(minutes, 60);
  if (step > 0) {
    const every = step === 1 ? 'every minute' : `every ${step} minutes`;
    if (everyHour) return { text: every, fixed: false };
    const during = hours.length === 1 || consecutive(hours);
    const text = during
      ? `${every} from ${clock(firstHour, firstMinute)} to ${clock(lastHour, lastMinute)} ${timezone}`
      : `${every} in the hours ${names(hours, two)} ${timezone}`;
    return { text, fixed: false };
  }
  const at = minutes.length === 1 ? `at minute ${firstMinute}` : `at minutes ${names(minutes, String)}`;
  if (everyHour) return { text: `every hour ${at}`, fixed: false };
  const hourStep = evenStep(hours, 24);
  if (hourStep > 0)
    return { text: `every ${hourStep} hours ${at}, from ${clock(0, firstMinute)} ${timezone}`, fixed: false };
  if (consecutive(hours)) {
    const span = `${clock(firstHour, firstMinute)} to ${clock(lastHour, lastMinute)} ${timezone}`;
    return { text: `every hour ${at}, from ${span}`, fixed: false };
  }
  return { text: `${at} of the hours ${names(hours, two)} ${timezone}`, fixed: false };
}

function describeWeekdays(days: readonly number[]): string {
  if (days.join() === '1,2,3,4,5') return 'every weekday';
  if (days.join() === '0,6') return 'every Saturday and Sunday';
  return `every ${list([...days.filter((day) => day > 0), ...days.filter((day) => day === 0)].map((day) => DAYS[day] ?? ''))}`;
}

function describeDays(schedule: CronSchedule): string {
  const dates = members(schedule.daysOfMonth, 1);
  const weekdays = members(schedule.daysOfWeek, 0);
  const months = members(schedule.months, 1);
  const inMonths = months.length === 12 ? '' : names(months, (month) => MONTHS[month - 1] ?? '');
  const onDates = `on day${dates.length === 1 ? '' : 's'} ${names(dates, String)} of ${inMonths || 'every month'}`;
  const allDates = dates.length === 31;
  const allWeekdays = weekdays.length === 7;
  const suffix = inMonths === '' ? '' : ` in ${inMonths}`;
  if ((schedule.either && (allDates || allWeekdays)) || (allDates && allWeekdays)) return `every day${suffix}`;
  if (allWeekdays) return onDates;
  if (allDates) return `${describeWeekdays(weekdays)}${suffix}`;
  return `${onDates}, and ${describeWeekdays(weekdays)}${suffix}`;
}

/**
 * A cron expression in plain words with its time zone: `0 14 * * 1-5` is "every weekday at 14:00 UTC".
 * Throws INVALID_SCHEDULE like parseCron.
 */
export function describeCron(text: string, timezone: string): string {
  const schedule = parseCron(text);
  const minutes = [...members(schedule.minutesLow, 0), ...members(schedule.minutesHigh, 30)];
  const time = describeTime(minutes, members(schedule.hours, 0), timezone);
  const days = describeDays(schedule);
  if (time.fixed) return `${days} ${time.text}`;
  if (days === 'every day') return time.text;
  return `${time.text}, ${days}${time.text.endsWith(timezone) ? '' : ` (${timezone})`}`;
}
