import { type Bucket, boundedSum } from './rollup-tables.ts';

/**
 * Counts points, which come in any order, into buckets of equal width over a window; empty ones are left out. A bucket's
 * `t` is the time of its first point. Minimum, maximum, sum and count are exact, and `last` is the point that came last of
 * those with the latest time.
 */
export class PointBuckets {
  readonly #from: number;
  readonly #width: number;
  readonly #first: Float64Array;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sum: Float64Array;
  readonly #n: Float64Array;
  readonly #last: Float64Array;
  readonly #lastTime: Float64Array;
  readonly #lastSeq: Float64Array;

  constructor(window: { readonly from: number; readonly to: number }, buckets: number) {
    this.#from = window.from;
    this.#width = (window.to - window.from) / buckets;
    const filled = (value: number): Float64Array => new Float64Array(buckets).fill(value);
    this.#first = filled(Number.POSITIVE_INFINITY);
    this.#min = filled(Number.POSITIVE_INFINITY);
    this.#max = filled(Number.NEGATIVE_INFINITY);
    this.#sum = filled(0);
    this.#n = filled(0);
    this.#last = filled(0);
    this.#lastTime = filled(Number.NEGATIVE_INFINITY);
    this.#lastSeq = filled(0);
  }

  add(t: number, seq: number, value: number): void {
    const at = Math.max(0, Math.min(this.#n.length - 1, Math.floor((t - this.#from) / this.#width)));
    if (t < (this.#first[at] ?? 0)) this.#first[at] = t;
    if (value < (this.#min[at] ?? 0)) this.#min[at] = value;
    if (value > (this.#max[at] ?? 0)) this.#max[at] = value;
    this.#sum[at] = boundedSum(this.#sum[at] ?? 0, value);
    this.#n[at] = (this.#n[at] ?? 0) + 1;
    const lastTime = this.#lastTime[at] ?? 0;
    if (t < lastTime || (t === lastTime && seq < (this.#lastSeq[at] ?? 0))) return;
    this.#last[at] = value;
    this.#lastTime[at] = t;
    this.#lastSeq[at] = seq;
  }

  /** The buckets that hold points, the oldest first. */
  rows(): Bucket[] {
    const rows: Bucket[] = [];
    for (const [at, n] of this.#n.entries()) {
      if (n === 0) continue;
      const of = (column: Float64Array): number => column[at] ?? 0;
      rows.push({
        t: of(this.#first),
        min: of(this.#min),
        max: of(this.#max),
        sum: of(this.#sum),
        n,
        last: of(this.#last),
      });
    }
    return rows;
  }
}
