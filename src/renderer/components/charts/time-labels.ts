export type Zone = 'local' | 'UTC';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const two = (value: number): string => String(value).padStart(2, '0');

interface Parts {
  readonly day: string;
  readonly minute: string;
  readonly second: string;
}

function partsOf(ms: number, zone: Zone): Parts {
  const at = new Date(ms);
  const utc = zone === 'UTC';
  const day = utc
    ? `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`
    : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const minute = utc
    ? `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`
    : `${two(at.getHours())}:${two(at.getMinutes())}`;
  return { day, minute, second: two(utc ? at.getUTCSeconds() : at.getSeconds()) };
}

/** Returns the labels below the time axis: no finer than its steps; the day on a line of its own where it changes. */
export function tickTexts(times: readonly number[], step: number, zone: Zone): string[] {
  let day = '';
  return times.map((time) => {
    const parts = partsOf(time, zone);
    const changed = parts.day !== day;
    day = parts.day;
    if (step >= DAY) return parts.day.slice(5);
    const clock = step < MINUTE ? `${parts.minute}:${parts.second}` : parts.minute;
    return changed ? `${clock}\n${parts.day.slice(5)}` : clock;
  });
}

/** An instant in full, without its zone. */
export function instantText(ms: number, zone: Zone): string {
  const { day, minute, second } = partsOf(ms, zone);
  return `${day} ${minute}:${second}`;
}

/** An instant without its day. */
export function clockText(ms: number, zone: Zone): string {
  const { minute, second } = partsOf(ms, zone);
  return `${minute}:${second}`;
}

/** An instant as an input of type `datetime-local` holds it. */
export function toInput(ms: number, zone: Zone): string {
  const { day, minute, second } = partsOf(ms, zone);
  return `${day}T${minute}:${second}`;
}

/** The instant in such an input, in ms since the epoch; NaN for anything else. */
export const fromInput = (text: string, zone: Zone): number => Date.parse(zone === 'UTC' ? `${text}Z` : text);
