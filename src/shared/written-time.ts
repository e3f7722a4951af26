import { formatRelative } from './format-quantity.ts';

/** The clock by which times are written: that of this machine, or UTC. */
export type ClockZone = 'local' | 'UTC';

/** How a person reads times: seen from when (ms since the epoch), and by which clock. */
export interface TimeView {
  readonly now: number;
  readonly zone: ClockZone;
}

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false };
const DAY: Intl.DateTimeFormatOptions = { year: 'numeric', month: '2-digit', day: '2-digit' };

/** An instant as `2026-03-04 14:00:00`. */
export function writtenTime(at: Date, zone: ClockZone): string {
  const timeZone = zone === 'UTC' ? { timeZone: 'UTC' } : {};
  const day = at.toLocaleDateString('sv-SE', { ...DAY, ...timeZone });
  return `${day} ${at.toLocaleTimeString('sv-SE', { ...TIME, ...timeZone })}`;
}

/** The same with its distance: `2026-03-04 14:00:00 (in 5 min)`. */
export function seenTime(at: string, { now, zone }: TimeView): string {
  const date = new Date(at);
  return `${writtenTime(date, zone)} (${formatRelative(date.getTime(), now)})`;
}
