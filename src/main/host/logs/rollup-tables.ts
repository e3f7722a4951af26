import type { Statements } from '../../../node/statements.ts';

export const MINUTE = 60_000;
export const HOUR = 3_600_000;

/** Width of a rollup bucket. */
export type Grain = 'minute' | 'hour';

export const WIDTH: Readonly<Record<Grain, number>> = { minute: MINUTE, hour: HOUR };

/** A point (n = 1) or a rollup bucket of a series; `t` in ms. */
export interface Bucket {
  readonly t: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly n: number;
  readonly last: number;
}

/** First and last remaining buckets of a series; null without any. */
export interface RollupEnds {
  readonly firstMinute: number | null;
  readonly lastMinute: number | null;
  readonly firstHour: number | null;
  readonly lastHour: number | null;
}

export const ROLLUP_TABLES = `
create table rollup_minute(series integer not null, bucket integer not null, min real not null, max real not null,
  sum real not null, n integer not null, last real not null, primary key(series, bucket)) without rowid;
create table rollup_hour(series integer not null, bucket integer not null, min real not null, max real not null,
  sum real not null, n integer not null, last real not null, primary key(series, bucket)) without rowid;
`;

/** Returns the sum of two numbers, or the largest of its sign: two infinite sums of unlike signs would have none. */
export function boundedSum(a: number, b: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, a + b));
}

const MOST = '1.7976931348623157e308';

/** Merges into a bucket; later values are newer than those in it. The sum is that of boundedSum. */
export const ROLLUP_CONFLICT = `on conflict(series, bucket) do update set min = min(min, excluded.min),
  max = max(max, excluded.max), sum = max(-${MOST}, min(${MOST}, sum + excluded.sum)), n = n + excluded.n,
  last = excluded.last`;

/** Reads of the rollup tables of one database, by its own ids of series. */
export class RollupTables {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Number of points by the rollups that touch [from, to). */
  pointCount(grain: Grain, series: number, from: number, to: number): number {
    const row = this.#statements.get<{ n: number | null }>(
      `select sum(n) as n from rollup_${grain} where series = ? and bucket > ? and bucket < ?`,
      series,
      from - WIDTH[grain],
      to,
    );
    return row?.n ?? 0;
  }

  /** Buckets that touch [from, to), in the order of time. */
  buckets(grain: Grain, series: number, from: number, to: number): Bucket[] {
    return this.#statements.all<Bucket>(
      `select bucket as t, min, max, sum, n, last from rollup_${grain}
       where series = ? and bucket > ? and bucket < ? order by bucket`,
      series,
      from - WIDTH[grain],
      to,
    );
  }

  ends(series: number): RollupEnds {
    const end = (which: 'min' | 'max', grain: Grain): number | null =>
      this.#statements.get<{ bucket: number | null }>(
        `select ${which}(bucket) as bucket from rollup_${grain} where series = ?`,
        series,
      )?.bucket ?? null;
    return {
      firstMinute: end('min', 'minute'),
      lastMinute: end('max', 'minute'),
      firstHour: end('min', 'hour'),
      lastHour: end('max', 'hour'),
    };
  }
}
