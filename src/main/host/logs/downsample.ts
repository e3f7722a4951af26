import { type Bucket, boundedSum } from './rollup-tables.ts';

/**
 * Merges rows (sorted by `t`) into at most `buckets` of equal width over the window; empty ones are left out. A bucket's
 * `t` is the time of its first row, so that nothing moves before it happened. Minimum, maximum, sum and count are exact.
 */
export function downsample(
  rows: readonly Bucket[],
  window: { readonly from: number; readonly to: number },
  buckets: number,
): Bucket[] {
  const width = (window.to - window.from) / buckets;
  const merged: Bucket[] = [];
  let current = -1;
  for (const row of rows) {
    const index = Math.max(0, Math.min(buckets - 1, Math.floor((row.t - window.from) / width)));
    const into = index === current ? merged.at(-1) : undefined;
    if (into === undefined) merged.push(row);
    else merged[merged.length - 1] = join(into, row);
    current = index;
  }
  return merged;
}

function join(into: Bucket, row: Bucket): Bucket {
  return {
    t: into.t,
    min: Math.min(into.min, row.min),
    max: Math.max(into.max, row.max),
    sum: boundedSum(into.sum, row.sum),
    n: into.n + row.n,
    last: row.last,
  };
}
