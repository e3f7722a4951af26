import { clock, dayOf, type Zone } from './stamps.ts';

function short(at: string, zone: Zone, base: string | null): string {
  const time = clock(at, zone).slice(0, 5);
  const day = dayOf(at, zone);
  return base !== null && dayOf(base, zone) === day ? time : `${day.slice(5)} ${time}`;
}

/** A range of time in as few characters as tell it: `09-30 14:00 – 15:30`. */
export function rangeInWords(from: string | null, to: string | null, zone: Zone): string {
  if (from === null && to === null) return 'All times';
  if (from === null) return `until ${short(to ?? '', zone, null)}`;
  if (to === null) return `since ${short(from, zone, null)}`;
  return `${short(from, zone, null)} – ${short(to, zone, from)}`;
}
