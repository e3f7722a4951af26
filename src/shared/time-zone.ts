import { invalid, type PlatformError } from '../contract/errors.ts';

/** A time (ms since the epoch) from `start` up to `end`, during which the clock of a zone is `offset` ms ahead of UTC. */
export interface ZoneSpan {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
}

const LONGEST = 64;
const NAME = /^[A-Za-z][A-Za-z0-9_+\-/]*$/;
const SECOND_MS = 1000;
/** No zone has set its clock and set it back within a day. */
const PROBE_MS = 86_400_000;
/** Spans are found for a block of time at once: 397 days. */
const BLOCK_MS = 2 ** 35;
/** A schedule needs two blocks, one with rare dates some 40. */
const MOST_BLOCKS = 10_000;
/** The last instant that a Date can hold. */
const LAST_MS = 8.64e15;

const formats = new Map<string, Intl.DateTimeFormat>();
const blocks = new Map<string, readonly ZoneSpan[]>();
/** Names that were found right; only those of the tz database can be. */
const checked = new Set(['UTC']);

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const digits = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...digits, second: 'numeric' });
  formats.set(zone, made);
  return made;
}

/** Before 1970, when clocks were set by the second, the offset is that of 1970. */
function offsetAt(zone: string, ms: number): number {
  const at = Math.floor(Math.min(Math.max(ms, 0), LAST_MS) / SECOND_MS) * SECOND_MS;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    formatOf(zone).format(at).match(/\d+/g) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - at;
}

/** The second in (from, to] with which the offset of `to` begins; the offset at `from` is another. */
function changeBetween(zone: string, from: number, to: number): number {
  const after = offsetAt(zone, to);
  let [low, high] = [from, to];
  while (high - low > SECOND_MS) {
    const middle = low + Math.floor((high - low) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetAt(zone, middle) === after) high = middle;
    else low = middle;
  }
  return high;
}

function spansOf(zone: string, index: number): readonly ZoneSpan[] {
  const key = `${zone} ${index}`;
  const known = blocks.get(key);
  if (known !== undefined) return known;
  const first = Math.floor((index * BLOCK_MS) / SECOND_MS) * SECOND_MS;
  const end = (index + 1) * BLOCK_MS;
  const spans: ZoneSpan[] = [];
  let start = index * BLOCK_MS;
  let offset = offsetAt(zone, first);
  for (let at = first; at < end; at += PROBE_MS) {
    const next = Math.min(at + PROBE_MS, Math.floor((end - 1) / SECOND_MS) * SECOND_MS);
    const then = offsetAt(zone, next);
    if (then === offset) continue;
    const change = changeBetween(zone, at, next);
    spans.push({ start, end: change, offset });
    start = change;
    offset = then;
  }
  spans.push({ start, end, offset });
  if (blocks.size >= MOST_BLOCKS) blocks.clear();
  blocks.set(key, spans);
  return spans;
}

/**
 * The span of a zone around a time (ms since the epoch). Two spans that follow each other may have the same offset. The
 * rules are those of the tz database that the JavaScript engine carries.
 */
export function zoneSpanAt(zone: string, ms: number): ZoneSpan {
  const spans = spansOf(zone, Math.floor(ms / BLOCK_MS));
  for (const span of spans) if (ms < span.end) return span;
  throw new RangeError(`no time of zone ${zone}: ${ms}`);
}

/** True if the engine knows this name of the tz database. */
function isKnown(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * The one name by which the engine knows a time zone, whatever case or older name is written; null for a name that it does not
 * know. Names that others send are resolved before anything is kept by them.
 */
export function resolveTimeZone(name: string): string | null {
  if (name.length > LONGEST || !NAME.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function refuse(name: string): PlatformError {
  const asked = name.toLowerCase().replaceAll(' ', '_');
  const near = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase().endsWith(`/${asked}`));
  const hint =
    near === undefined
      ? 'Write a name of the tz database such as "Europe/Berlin" or "America/New_York"; left out it is UTC.'
      : `Write "${near}".`;
  const message = `${JSON.stringify(name.slice(0, LONGEST))} is not the name of a time zone`;
  return invalid('INVALID_SCHEDULE', [{ path: 'timezone', message, hint }]);
}

/** Checks the name of a time zone, in the letters of the tz database. Throws INVALID_SCHEDULE for another. */
export function checkTimeZone(name: string): void {
  if (checked.has(name)) return;
  if (name.length > LONGEST || !NAME.test(name) || !isKnown(name)) throw refuse(name);
  // The engine takes any case; one zone should read the same everywhere.
  const resolved = formatOf(name).resolvedOptions().timeZone;
  if (resolved !== name && resolved.toLowerCase() === name.toLowerCase()) {
    throw invalid('INVALID_SCHEDULE', [
      { path: 'timezone', message: `${JSON.stringify(name)} is written otherwise`, hint: `Write "${resolved}".` },
    ]);
  }
  checked.add(name);
}
