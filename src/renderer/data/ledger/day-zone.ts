import type { ClockZone } from '../../../shared/written-time.ts';
import { usePreferences } from '../preferences.ts';

/** The zone whose days are counted: that of the clock that a user has chosen for times. */
export interface DayZone {
  readonly clock: ClockZone;
  /** A name of the tz database. */
  readonly name: string;
  /** What a request for days of it says: nothing for UTC, in which the host counts unasked. */
  readonly asked: { readonly zone?: string };
  /** The same as people read it. */
  readonly words: string;
  /** What days are, in a sentence: `Days are UTC days`, `Days are those of Europe/Berlin`. */
  readonly days: string;
}

/** The zone of the days of a clock. */
export function dayZone(clock: ClockZone, here = Intl.DateTimeFormat().resolvedOptions().timeZone): DayZone {
  const name = clock === 'UTC' ? 'UTC' : here;
  const words = name.replaceAll('_', ' ');
  if (name === 'UTC') return { clock, name, asked: {}, words, days: 'UTC days' };
  return { clock, name, asked: { zone: name }, words, days: `those of ${words}` };
}

/** Zones by their clock: a page has one of each, so that what depends on one stays as it is. */
const ZONES: Readonly<Record<ClockZone, DayZone>> = { local: dayZone('local'), UTC: dayZone('UTC') };

/** The zone whose days the page counts. */
export function useDayZone(): DayZone {
  return ZONES[usePreferences((one) => one.zone)];
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The day of an instant (ms since the epoch) by a clock, as YYYY-MM-DD. */
export function dayAt({ clock }: Pick<DayZone, 'clock'>, at: number): string {
  const date = new Date(at);
  if (clock === 'UTC') return date.toISOString().slice(0, 10);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The instant at which a day begins by a clock; where midnight is skipped, when the clock goes on. */
export function beginOf({ clock }: Pick<DayZone, 'clock'>, day: string): string {
  return new Date(`${day}T00:00:00${clock === 'UTC' ? 'Z' : ''}`).toISOString();
}
