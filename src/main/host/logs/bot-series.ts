import type { SeriesName } from './log-database-read.ts';
import { isMerged, type Merged, NOTHING_MERGED } from './rollup-database.ts';
import { type Bucket, boundedSum, type Grain, HOUR, MINUTE, type RollupTables } from './rollup-tables.ts';
import type { SegmentSet } from './segment-set.ts';
import type { PointPlace, SomePoints } from './stored-row-types.ts';

/** Time that the rollups of a series cover. */
export interface RollupSpan {
  readonly from: number;
  readonly to: number;
}

/** Where a read of points goes on. */
export interface SeriesPlace {
  readonly segment: number;
  readonly within: PointPlace | null;
}

/** Some points of a series; null where the rest of the log has none. `next` is where the read goes on, null at the end. */
export interface SeriesPoints {
  readonly points: SomePoints | null;
  readonly next: SeriesPlace | null;
}

/** Points and rollups of the series of one bot, over all its segments and the rollups of removed ones. */
export class BotSeries {
  readonly #segments: SegmentSet;

  constructor(segments: SegmentSet) {
    this.#segments = segments;
  }

  /** The next points of [from, to), in any order: the time of a point is the bot's own. */
  somePoints(series: SeriesName, from: number, to: number, place: SeriesPlace | null): SeriesPoints {
    return this.#segments.run(() => {
      for (const at of this.#segments.each((index) => index)) {
        const segment = this.#segments.number(at);
        if (place !== null && segment < place.segment) continue;
        const within = place?.segment === segment ? place.within : null;
        const points = this.#segments.read(at, (reader) => {
          const id = reader.seriesId(series);
          return id === null ? null : reader.rows((rows) => rows.points(id, from, to, within));
        });
        if (points === null) continue;
        if (points.next !== null) return { points, next: { segment, within: points.next } };
        const isLast = at === this.#segments.newest;
        return { points, next: isLast ? null : { segment: this.#segments.number(at + 1), within: null } };
      }
      return { points: null, next: null };
    });
  }

  /** Points of [from, to), the oldest first; those of equal time in the order of their arrival. */
  points(series: SeriesName, from: number, to: number): Bucket[] {
    const found: { readonly t: number; readonly seq: number; readonly value: number }[] = [];
    let place: SeriesPlace | null = null;
    do {
      const { points, next }: SeriesPoints = this.somePoints(series, from, to, place);
      for (const [at, t] of (points?.times ?? []).entries()) {
        found.push({ t, seq: points?.seqs[at] ?? 0, value: points?.values[at] ?? 0 });
      }
      place = next;
    } while (place !== null);
    found.sort((a, b) => a.t - b.t || a.seq - b.seq);
    return found.map(({ t, value }) => ({ t, min: value, max: value, sum: value, n: 1, last: value }));
  }

  /** Number of points by the rollups that touch [from, to). */
  pointCount(grain: Grain, series: SeriesName, from: number, to: number): number {
    const counts = this.#everywhere(series, (tables, id) => tables.pointCount(grain, id, from, to));
    return counts.reduce((sum, n) => sum + n, 0);
  }

  /** Rollup buckets that touch [from, to). A bucket with parts in several segments is put together. */
  rollups(grain: Grain, series: SeriesName, from: number, to: number): Bucket[] {
    const found = this.#everywhere(series, (tables, id) => tables.buckets(grain, id, from, to));
    const all = new Map<number, Bucket>();
    for (const bucket of found.flat()) {
      const known = all.get(bucket.t);
      all.set(bucket.t, known === undefined ? bucket : joined(known, bucket));
    }
    return [...all.values()].sort((a, b) => a.t - b.t);
  }

  /** Null without points. */
  rollupSpan(series: SeriesName): RollupSpan | null {
    const ends = this.#everywhere(series, (tables, id) => tables.ends(id));
    const firstHour = least(ends.map((end) => end.firstHour));
    const lastHour = greatest(ends.map((end) => end.lastHour));
    if (firstHour === null || lastHour === null) return null;
    // Minutes expire before hours: the hour replaces a missing one at either end.
    const minuteOf = (hour: number, minute: number | null): number | null =>
      minute === null || minute < hour || minute >= hour + HOUR ? null : minute;
    const first = minuteOf(firstHour, least(ends.map((end) => end.firstMinute)));
    const last = minuteOf(lastHour, greatest(ends.map((end) => end.lastMinute)));
    return { from: first ?? firstHour, to: last === null ? lastHour + HOUR : last + MINUTE };
  }

  /** Reads the merged rollups, then the unmerged ones of each segment, in the order in which they were stored. */
  #everywhere<Result>(series: SeriesName, read: (tables: RollupTables, id: number) => Result): Result[] {
    return this.#segments.run(() => {
      const found: Result[] = [];
      const merged = this.#merged(series, (tables, id) => found.push(read(tables, id)));
      this.#segments.each((at) => {
        const number = this.#segments.number(at);
        if (number < merged.segment) return;
        this.#segments.read(at, (reader) => {
          const id = reader.seriesId(series);
          if (id !== null && !isMerged(merged, number, id)) found.push(read(reader.rollups, id));
        });
      });
      return found;
    });
  }

  /** Reads in one moment: rollups merged a moment later are still in their segment. */
  #merged(series: SeriesName, read: (tables: RollupTables, id: number) => void): Merged {
    const merged = this.#segments.readRollups((rollups) =>
      rollups.atOnce(() => {
        const id = rollups.seriesId(series);
        if (id !== null) read(rollups.tables, id);
        return rollups.merged();
      }),
    );
    return merged ?? NOTHING_MERGED;
  }
}

function joined(into: Bucket, more: Bucket): Bucket {
  return {
    t: into.t,
    min: Math.min(into.min, more.min),
    max: Math.max(into.max, more.max),
    sum: boundedSum(into.sum, more.sum),
    n: into.n + more.n,
    last: more.last,
  };
}

function least(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : Math.min(...there);
}

function greatest(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : Math.max(...there);
}
