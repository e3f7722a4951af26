/** Periods of UTC in which the bot buys once. */

const DAY_MS = 86_400_000;
const THURSDAY = 4;

/** Name of the week of ISO 8601 that a day of UTC lies in: it has the year of its Thursday. */
function weekOf(moment) {
  const day = moment.getUTCDay() || 7;
  const thursday = new Date(moment.getTime() + (THURSDAY - day) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS));
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** Name of the hour, day, week (ISO 8601) or month of UTC that a moment lies in. */
export function periodOf(every, moment) {
  if (every === 'week') return weekOf(moment);
  return moment.toISOString().slice(0, { hour: 13, day: 10, month: 7 }[every]);
}
