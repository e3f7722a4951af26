/**
 * A second, deliberately plain reading of cron expressions to test the product against: it looks at every minute of
 * a window one by one. It shares no code with src/shared/cron.ts and only understands valid expressions.
 */

const NAMES: Readonly<Record<string, number>> = {
  jan: 1,
  feb: 2,
  mar: 3,
  apr: 4,
  may: 5,
  jun: 6,
  jul: 7,
  aug: 8,
  sep: 9,
  oct: 10,
  nov: 11,
  dec: 12,
  sun: 0,
  mon: 1,
  tue: 2,
  wed: 3,
  thu: 4,
  fri: 5,
  sat: 6,
};

function fieldAllows(field: string, value: number, least: number, most: number): boolean {
  return field.split(',').some((part) => {
    const [span = '', every = '1'] = part.split('/');
    const ends = span === '*' ? [least, most] : span.split('-').map((end) => NAMES[end.toLowerCase()] ?? Number(end));
    const from = ends[0] ?? least;
    const to = ends[1] ?? from;
    return value >= from && value <= to && (value - from) % Number(every) === 0;
  });
}

function restricts(field: string): boolean {
  return !field.split(',').some((part) => part === '*' || part === '*/1');
}

function dayAllowed(fields: readonly string[], date: Date): boolean {
  const [, , dates = '', months = '', weekdays = ''] = fields;
  const weekday = date.getUTCDay();
  const byDate = fieldAllows(dates, date.getUTCDate(), 1, 31);
  const byWeekday = fieldAllows(weekdays, weekday, 0, 6) || (weekday === 0 && fieldAllows(weekdays, 7, 0, 6));
  const byDay = restricts(dates) && restricts(weekdays) ? byDate || byWeekday : byDate && byWeekday;
  return byDay && fieldAllows(months, date.getUTCMonth() + 1, 1, 12);
}

/** Whether the expression is due in the minute that contains `ms`. */
export function oracleMatches(expression: string, ms: number): boolean {
  const fields = expression.trim().split(/\s+/);
  const date = new Date(ms);
  const [minutes = '', hours = ''] = fields;
  return (
    fieldAllows(minutes, date.getUTCMinutes(), 0, 59) &&
    fieldAllows(hours, date.getUTCHours(), 0, 23) &&
    dayAllowed(fields, date)
  );
}

/** All due minutes in [fromMs, toMs), both at midnight UTC, in order, as minutes since the epoch. */
export function oracleMinutes(expression: string, fromMs: number, toMs: number): number[] {
  const fields = expression.trim().split(/\s+/);
  const timesOfDay = Array.from({ length: 1440 }, (_, minute) => {
    return (
      fieldAllows(fields[0] ?? '', minute % 60, 0, 59) && fieldAllows(fields[1] ?? '', Math.floor(minute / 60), 0, 23)
    );
  });
  const found: number[] = [];
  for (let day = fromMs; day < toMs; day += 86_400_000) {
    const allowed = dayAllowed(fields, new Date(day));
    for (let minute = 0; minute < 1440; minute++) {
      if (allowed && timesOfDay[minute] === true) found.push(day / 60_000 + minute);
    }
  }
  return found;
}
