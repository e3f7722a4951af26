/**
 * Prices of the offline feed: a made-up market that is a pure function of symbol and time. One feed day lasts five
 * wall-clock seconds and the main swing has a half period of six feed days, so a bot that looks every 30 s sees SMA(5)
 * and SMA(20) cross each time. The numbers below keep every average difference clear of zero; the unit test measures
 * the margin.
 */

/** Wall-clock length of one feed day in milliseconds. */
export const FEED_DAY_MS = 5_000;

/** Feed days from one swing to its mirror image: 6 days, 30 s. */
export const HALF_PERIOD_DAYS = 6;

/** Number of past days that the feed serves. */
export const DAYS_SERVED = 260;

/** Milliseconds at the start of a feed day in which the newest entry has no close yet. */
export const OPENING_MS = 1_000;

/** Time from an anchor to the first crossing of the averages, in ms; further crossings follow every 30 s. */
export const FIRST_CROSSING_MS = 16_000;

/** The first half of the swing in parts of its amplitude; the second half is its negative. */
const SWING = [0.8, 1, 0.9, 0.65, 0.5, 0.4] as const;
/** Position in the swing at which an anchored clock starts: SMA(5) is below SMA(20) until {@link FIRST_CROSSING_MS}. */
const ANCHOR_PHASE = 10;
const TREND_DAYS = 120;
/** Amplitudes of trend and noise as parts of the swing: together they stay below the smallest average difference, 0.17. */
const TREND_SHARE = 0.25;
const NOISE_SHARE = 0.03;
/** How far the price of a day that goes on strays from its close. It counts 0.15 in the difference of the averages. */
const TICK_SHARE = 0.15;
const TICK_MS = 1_000;

/** One day of the made-up market; prices have 2 decimals. */
export interface DayBar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** FNV-1a over UTF-16 units, 32 bit: stable across versions, so that a symbol keeps its price level. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0;
  return (value ^ (value >>> 13)) >>> 0;
}

/** A number in [0, 1) that depends on the text alone. */
const unit = (text: string): number => hash(text) / 2 ** 32;

const cents = (value: number): number => Math.round(value * 100) / 100;

function swing(day: number): number {
  const period = 2 * HALF_PERIOD_DAYS;
  const phase = (((day + ANCHOR_PHASE) % period) + period) % period;
  const value = SWING[phase % HALF_PERIOD_DAYS] ?? 0;
  return phase < HALF_PERIOD_DAYS ? value : -value;
}

/** Size of the main swing as a part of the price. */
const amplitudeOf = (symbol: string): number => 0.01 + 0.006 * unit(`${symbol}/amplitude`);

function closeOf(symbol: string, day: number): number {
  const base = 80 + 320 * unit(symbol);
  const amplitude = amplitudeOf(symbol);
  const trend = TREND_SHARE * Math.sin((2 * Math.PI * day) / TREND_DAYS + 2 * Math.PI * unit(`${symbol}/trend`));
  const noise = NOISE_SHARE * (2 * unit(`${symbol}/noise/${day}`) - 1);
  return cents(base * (1 + amplitude * (swing(day) + trend + noise)));
}

/**
 * The bar of one feed day. `day` counts from the anchor and may be negative; the same symbol and day always give the
 * same bar.
 */
export function dayBar(symbol: string, day: number): DayBar {
  const open = closeOf(symbol, day - 1);
  const close = closeOf(symbol, day);
  return {
    open,
    close,
    high: cents(Math.max(open, close) * (1 + 0.006 * unit(`${symbol}/high/${day}`))),
    low: cents(Math.min(open, close) * (1 - 0.006 * unit(`${symbol}/low/${day}`))),
    volume: 1_000_000 + Math.floor(40_000_000 * unit(`${symbol}/volume/${day}`)),
  };
}

/**
 * The bar of a feed day of which only `elapsedMs` have passed: its price moves each second, and in the last one it is the
 * close that the day keeps.
 */
export function openDayBar(symbol: string, day: number, elapsedMs: number): DayBar {
  const bar = dayBar(symbol, day);
  const tick = Math.floor(elapsedMs / TICK_MS);
  if (tick >= FEED_DAY_MS / TICK_MS - 1) return bar;
  const away = TICK_SHARE * amplitudeOf(symbol) * (2 * unit(`${symbol}/tick/${day}/${tick}`) - 1);
  const close = cents(bar.close * (1 + away));
  return { ...bar, close, high: Math.max(bar.high, close), low: Math.min(bar.low, close) };
}

/**
 * Returns the origin of the clock for a symbol without an anchor: a whole number of feed days that differs between
 * symbols, so that they do not move in step.
 */
export function defaultAnchor(symbol: string): number {
  return (hash(`${symbol}/phase`) % (2 * HALF_PERIOD_DAYS)) * FEED_DAY_MS;
}
