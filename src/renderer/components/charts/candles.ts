import type { Points } from '../../../shared/series-points.ts';
import type { Domain } from './chart-elements.ts';

/** Prices of a stretch of time. It opens where the one before closed: between two samples nothing is known. */
export interface Candle {
  /** Its first instant, in ms since the epoch. */
  readonly t: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Lengths of candles that traders know. */
const LENGTHS = [
  SECOND,
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  4 * HOUR,
  DAY,
  7 * DAY,
];
/** Room for one candle, in pixels. */
const ROOM = 7;

/** The length of a candle, in ms, with which those of a stretch of time can be told apart on so many pixels. */
export function candleLength({ from, to }: Domain, pixels: number): number {
  const least = ((to - from) * ROOM) / Math.max(1, pixels);
  return LENGTHS.find((length) => length >= least) ?? Math.ceil(least / DAY) * DAY;
}

const UNITS = [
  { ms: DAY, name: 'd' },
  { ms: HOUR, name: 'h' },
  { ms: MINUTE, name: 'min' },
  { ms: SECOND, name: 's' },
];

/** A length in the words of charts: `15 min`. */
export function lengthText(length: number): string {
  const unit = UNITS.find(({ ms }) => length % ms === 0) ?? { ms: 1, name: 'ms' };
  return `${length / unit.ms} ${unit.name}`;
}

/** The candles of a series, oldest first; times at which nothing was measured have none. */
export function candlesOf(points: Points, length: number): Candle[] {
  const candles: Candle[] = [];
  let last: number | null = null;
  for (const [index, t] of points.t.entries()) {
    const low = points.min[index] ?? Number.NaN;
    const high = points.max[index] ?? Number.NaN;
    const close = points.last[index] ?? Number.NaN;
    const begin = Math.floor(t / length) * length;
    const before = candles.at(-1);
    if (before?.t === begin) {
      candles[candles.length - 1] = {
        ...before,
        high: Math.max(before.high, high),
        low: Math.min(before.low, low),
        close,
      };
    } else {
      const open: number = last ?? points.avg[index] ?? close;
      candles.push({ t: begin, open, high: Math.max(high, open), low: Math.min(low, open), close });
    }
    last = close;
  }
  return candles;
}
