import { formatRelative } from '../../../../shared/format-quantity.ts';

export type Zone = 'local' | 'UTC';
/** Form in which the time of a line is written. */
export type Stamp = Zone | 'relative';

const two = (n: number): string => String(n).padStart(2, '0');

function parts(at: string, zone: Zone): readonly [day: string, time: string] {
  if (zone === 'UTC') return [at.slice(0, 10), at.slice(11, 23)];
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return [day, `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`];
}

/** Day of an instant, `2026-09-30`. A thousand lines are written a second: no Intl here. */
export const dayOf = (at: string, zone: Zone): string => parts(at, zone)[0];

/** Time of day with milliseconds. */
export const clock = (at: string, zone: Zone): string => parts(at, zone)[1];

/** Renders day and time, with the name of the clock. */
export const full = (at: string, zone: Zone): string => `${parts(at, zone).join(' ')} ${zone}`;

/** Renders the time of a line in the chosen form. */
export function stamp(at: string, how: Stamp, now: number): string {
  return how === 'relative' ? formatRelative(Math.min(Date.parse(at), now), now) : clock(at, how);
}

/** A day for people: `Wednesday, 30 September 2026`. */
export function dayInWords(at: string, zone: Zone): string {
  const options: Intl.DateTimeFormatOptions = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' };
  return new Date(at).toLocaleDateString('en-GB', zone === 'UTC' ? { ...options, timeZone: 'UTC' } : options);
}

/** Returns the offset of this machine's clock from UTC, `UTC+02:00`. */
export function offsetInWords(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The instant in an input of type datetime-local; null when it is empty. */
export function fromInput(text: string, zone: Zone): string | null {
  if (text === '') return null;
  const at = new Date(zone === 'UTC' ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** An instant as an input of type datetime-local takes it. */
export function toInput(at: string | null, zone: Zone): string {
  if (at === null) return '';
  const [day, time] = parts(at, zone);
  return `${day}T${time.slice(0, 8)}`;
}
