const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;
/** Last moment a Date can hold. */
const MAX_MS = 8.64e15;

/** RFC 3339 or ISO 8601 text as ms since the epoch, or null. Without a zone it is UTC, as bots run with TZ=UTC. */
export function parseIsoTime(text: string): number | null {
  const parts = ISO.exec(text);
  if (parts === null) return null;
  const [, day = '', minutes = '', seconds = '00', fraction = '', zone = 'Z'] = parts;
  const offset = zone.length === 3 ? `${zone}:00` : zone.toUpperCase();
  const ms = Date.parse(`${day}T${minutes}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`);
  return Number.isNaN(ms) ? null : ms;
}

/**
 * A time as structured loggers write it: ISO text, or a number in s, ms, us or ns by its size. Null for anything else;
 * numbers too small for a date of this century are durations or counters.
 */
export function parseLoggerTime(value: unknown): number | null {
  if (typeof value === 'string') return parseIsoTime(value);
  if (typeof value !== 'number' || !(value >= 1e8)) return null;
  if (value < 1e11) return Math.round(value * 1000);
  if (value < 1e14) return Math.floor(value);
  if (value < 1e17) return Math.floor(value / 1e3);
  return value < 1e20 ? Math.floor(value / 1e6) : null;
}

/** A metric's `timestamp`: ms since the epoch or RFC 3339; seconds are recognised by their size. */
export function parseMetricTime(value: unknown): number | null {
  const known = parseLoggerTime(value);
  if (known !== null || typeof value !== 'number') return known;
  return Math.abs(value) <= MAX_MS ? Math.floor(value) : null;
}
