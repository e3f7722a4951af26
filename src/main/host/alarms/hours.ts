import type { Hours } from '../../../contract/alarms.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  formats.set(zone, made);
  return made;
}

/** Day of the week and minute of the day in a time zone. */
function clockIn(zone: string, at: number): { readonly day: number; readonly minute: number } {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return {
    day: WEEKDAYS.indexOf(parts.get('weekday') ?? ''),
    minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  };
}

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** True at a time within these hours; a span over midnight belongs to the day on which it begins. */
export function isWithin({ from, to, zone, days }: Hours, at: number): boolean {
  const { day, minute } = clockIn(zone, at);
  const [begin, end] = [minuteOf(from), minuteOf(to)];
  const isDay = (one: number): boolean => days === undefined || days.includes(one);
  if (begin < end) return isDay(day) && minute >= begin && minute < end;
  return (isDay(day) && minute >= begin) || (isDay((day + 6) % 7) && minute < end);
}

/** The first whole minute at or after `at` that lies outside of these hours; `at` itself if they never end. */
export function endOf(hours: Hours, at: number): number {
  if (!isWithin(hours, at)) return at;
  const first = Math.ceil(at / MINUTE_MS) * MINUTE_MS;
  for (let time = first; time <= first + 2 * DAY_MS; time += MINUTE_MS) {
    if (!isWithin(hours, time)) return time;
  }
  return at;
}
