import type { SearchState } from './log-search.ts';

const NUMBER = new Intl.NumberFormat('en');

/** A count for people: `12,345`. */
export const counted = (n: number): string => NUMBER.format(n);

/** `3 of 57`, counted from the oldest; while it is still looked for only how many there are so far. */
export function hitsInWords({ hits, complete, looking, current }: SearchState): string {
  const all = `${counted(hits.length)}${complete ? '' : '+'}`;
  if (hits.length === 0) return looking ? 'Looking…' : 'No hits';
  const index = current === null ? -1 : hits.indexOf(current);
  if (!complete || index === -1) return all;
  return `${counted(index + 1)} of ${all}`;
}
