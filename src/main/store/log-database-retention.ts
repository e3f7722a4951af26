import { COUNT_METRIC, type LogDatabase } from './log-database.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Range of seq removed by one step: short enough (about 20 ms) to sit between two batches of ingest. */
const STEP = 5000;
/** A full database is brought this far under its cap, so that the work does not come back with the next line. */
const LOW_WATER = 0.9;
/** Minute counters only serve "the last hour". */
const COUNT_MINUTES_KEPT = 3 * HOUR;
const MINUTE_ROLLUPS_KEPT = 180 * DAY;
/** Free pages given back to the file system by one step. */
const VACUUM_PAGES = 2000;

/** Rows older than `days`, or the oldest beyond `bytes`, are removed; whichever comes first (wire.md, Retention). */
export interface Retention {
  readonly days: number;
  readonly bytes: number;
}

interface Removed {
  readonly series: number;
  readonly t: number;
  readonly seq: number;
}

/** Finds the numeric points a stored metric made, so that they go with it. Points are keyed by series and time. */
export type PointsOf = (data: string) => { readonly symbol: string | null; readonly fields: readonly string[] };

/**
 * Removes the oldest rows of one log database in short steps. Rollups and the newest event of each type stay; counters
 * go down with the rows, so that totals always say what can still be read.
 */
export class LogRetention {
  readonly #db: LogDatabase;
  readonly #pointsOf: PointsOf;
  #shrinking = false;

  constructor(db: LogDatabase, pointsOf: PointsOf) {
    this.#db = db;
    this.#pointsOf = pointsOf;
  }

  /** Does one step; true when there is more to do at once. */
  step(rule: Retention, now: number): boolean {
    const oldest = this.#oldest();
    if (oldest !== null) {
      const used = this.#usedBytes();
      if (used > rule.bytes) this.#shrinking = true;
      else if (used <= rule.bytes * LOW_WATER) this.#shrinking = false;
      if (this.#shrinking || oldest.ts < now - rule.days * DAY) {
        this.#removeFrom(oldest.seq, this.#shrinking ? Number.POSITIVE_INFINITY : now - rule.days * DAY);
        return true;
      }
    }
    this.#shrinking = false;
    this.#db.prepare('delete from count_minute where bucket < ?').run(now - COUNT_MINUTES_KEPT);
    this.#db.prepare('delete from rollup_minute where bucket < ?').run(now - MINUTE_ROLLUPS_KEPT);
    const free = Number(this.#db.pragma('freelist_count', { simple: true }));
    // Some free pages are left for the next rows: growing the file again costs more than keeping them.
    if (free <= VACUUM_PAGES) return false;
    this.#db.pragma(`incremental_vacuum(${VACUUM_PAGES})`);
    return true;
  }

  /** Forgets the offsets of spool files that are gone. `isGone` is asked for each path. */
  sweepSpools(isGone: (path: string) => boolean): void {
    const rows = this.#db.prepare<[], { path: string }>('select path from spool').all();
    const remove = this.#db.prepare('delete from spool where path = ?');
    for (const { path } of rows) if (isGone(path)) remove.run(path);
  }

  #oldest(): { readonly seq: number; readonly ts: number } | null {
    const log = this.#db.prepare<[], { seq: number; ts: number }>('select seq, ts from log order by seq limit 1').get();
    const metric = this.#db
      .prepare<[], { seq: number; ts: number }>('select seq, ts from metric order by seq limit 1')
      .get();
    if (log === undefined) return metric ?? null;
    return metric !== undefined && metric.seq < log.seq ? metric : log;
  }

  #usedBytes(): number {
    const pages = (name: string): number => Number(this.#db.pragma(name, { simple: true }));
    return (pages('page_count') - pages('freelist_count')) * pages('page_size');
  }

  #removeFrom(seq: number, olderThan: number): void {
    const end = seq + STEP;
    const test = olderThan === Number.POSITIVE_INFINITY ? '' : ` and ts < ${Math.floor(olderThan)}`;
    this.#db.transaction(() => {
      for (const [table, kind] of [
        ['log', '(meta & 3)'],
        ['metric', String(COUNT_METRIC)],
      ]) {
        const groups = this.#db
          .prepare<[number], { bucket: number; kind: number; n: number }>(
            `select ts / ${HOUR} * ${HOUR} as bucket, ${kind} as kind, count(*) as n from ${table}
             where seq < ?${test} group by 1, 2`,
          )
          .all(end);
        const down = this.#db.prepare('update count_hour set n = n - ? where bucket = ? and kind = ?');
        for (const group of groups) down.run(group.n, group.bucket, group.kind);
      }
      this.#removePoints(end, test);
      this.#db.prepare(`delete from log where seq < ?${test}`).run(end);
      this.#db.prepare(`delete from metric where seq < ?${test}`).run(end);
      this.#db.exec('delete from count_hour where n <= 0');
    })();
  }

  #removePoints(end: number, test: string): void {
    const find = this.#db.prepare<[number, string, string], { id: number }>(
      'select id from series where type = ? and field = ? and symbol = ?',
    );
    const known = new Map<string, number | null>();
    const seriesId = (type: number, field: string, symbol: string): number | null => {
      const key = JSON.stringify([type, field, symbol]);
      let id = known.get(key);
      if (id === undefined) {
        id = find.get(type, field, symbol)?.id ?? null;
        known.set(key, id);
      }
      return id;
    };
    const removed: Removed[] = [];
    const rows = this.#db
      .prepare<[number], { seq: number; t: number; type: number; data: string }>(
        `select seq, coalesce(time, ts) as t, type, data from metric where seq < ?${test}`,
      )
      .all(end);
    for (const row of rows) {
      const { symbol, fields } = this.#pointsOf(row.data);
      for (const field of fields) {
        const series = seriesId(row.type, field, symbol ?? '');
        if (series !== null) removed.push({ series, t: row.t, seq: row.seq });
      }
    }
    const remove = this.#db.prepare('delete from point where series = ? and t = ? and seq = ?');
    for (const point of removed) remove.run(point.series, point.t, point.seq);
  }
}
