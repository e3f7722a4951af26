/**
 * The clock of the host, as this page knows it: what the host has written down is compared with its own clock, not with
 * the browser's, which may be wrong by minutes.
 */

/** A smaller difference comes from the answer's travel time and its header's whole seconds, not from a wrong clock. */
const SAME_MS = 2000;

let ahead = 0;

/** Milliseconds by which the host's clock is ahead, from an answer's `date` header, which has whole seconds. */
export function aheadBy(date: string | null, asked: number, answered: number): number {
  const told = Date.parse(date ?? '');
  if (Number.isNaN(told)) return 0;
  const apart = told + 500 - (asked + answered) / 2;
  return Math.abs(apart) < SAME_MS ? 0 : Math.round(apart);
}

/** Sets the page's clock by an answer of the host. */
export function setClock(date: string | null, asked: number, answered: number): void {
  ahead = aheadBy(date, asked, answered);
}

/** Returns the host's time, in milliseconds since the epoch. */
export function hostNow(): number {
  return Date.now() + ahead;
}
