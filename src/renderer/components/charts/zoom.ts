import type { Domain } from './chart-elements.ts';

/** Part of a notch of the wheel's pixels by which the shown time grows or shrinks. */
const PER_PIXEL = 0.002;
/** A flick of a fast wheel zooms no further than this at once. */
const MOST_AT_ONCE = 4;

/** The stretch around an instant, larger or smaller by a factor; the instant stays where it is. */
export function zoomed({ from, to }: Domain, at: number, factor: number): Domain {
  return { from: at - (at - from) * factor, to: at + (to - at) * factor };
}

/** The stretch of the same length, later by a share of it (earlier for a negative share). */
export function moved({ from, to }: Domain, share: number): Domain {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
}

/** How much the shown time grows for a turn of the wheel, in pixels; below 1 it shrinks. */
export function wheelFactor(pixels: number): number {
  const factor = Math.exp(pixels * PER_PIXEL);
  return Math.min(MOST_AT_ONCE, Math.max(1 / MOST_AT_ONCE, factor));
}
