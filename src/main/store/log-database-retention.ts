import { COUNT_DROPPED, COUNT_METRIC, type LogDatabase } from './log-database.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Most rows removed by one step: short enough (about 20 ms) to sit between two batches of ingest. */
const STEP = 5000;
/** Rows that are weighed to know the size of all, evenly over the whole table: sizes change with what a bot does. */
const SAMPLE = 400;
/** What a row takes beside its text: its key, its columns, its share of the pages. */
const ROW_BYTES = 48;
/** A numeric point with its index entry. */
const POINT_BYTES = 40;
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
      const goal = rule.bytes * LOW_WATER;
      if (used > rule.bytes) this.#shrinking = true;
      else if (used <= goal) this.#shrinking = false;
      const tooOld = now - rule.days * DAY;
      if (oldest.ts < tooOld) {
        this.#removeFrom(oldest.seq + STEP, tooOld);
        return true;
      }
      if (this.#shrinking) {
        // Only so many as are too many: a step must never take the newest lines of a small log with the old ones.
        const share = Math.ceil((this.#newestSeq() - oldest.seq + 1) * (1 - goal / used));
        this.#removeFrom(oldest.seq + Math.min(STEP, Math.max(1, share)), Number.POSITIVE_INFINITY);
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

  #newestSeq(): number {
    const newest = this.#db
      .prepare<[], { seq: number | null }>(
        'select max(seq) as seq from (select max(seq) as seq from log union all select max(seq) from metric)',
      )
      .get();
    return newest?.seq ?? 0;
  }

  /**
   * Bytes of what a step can remove: lines, metrics and their points, as far as they fill the file. Rollups are kept by
   * time alone: counted here they would in the end push every line out.
   */
  #usedBytes(): number {
    const pages = (name: string): number => Number(this.#db.pragma(name, { simple: true }));
    const file = (pages('page_count') - pages('freelist_count')) * pages('page_size');
    return Math.min(file, this.#rowBytes());
  }

  #rowBytes(): number {
    const counts = this.#db
      .prepare<[], { metric: number; n: number }>(
        `select kind = ${COUNT_METRIC} as metric, sum(n) as n from count_hour
         where kind <> ${COUNT_DROPPED} group by 1`,
      )
      .all();
    const count = (metric: 0 | 1): number => counts.find((row) => row.metric === metric)?.n ?? 0;
    const average = (sql: string): number => this.#db.prepare<[], { size: number | null }>(sql).get()?.size ?? 0;
    const sample = (table: string, size: string): number =>
      average(
        `select avg(size) as size from (
           with recursive step(i) as (select 0 union all select i + 1 from step where i < ${SAMPLE - 1}),
             ends(low, high) as (select min(seq), max(seq) from ${table})
           select (select ${size} from ${table} where seq >= low + (high - low) * i / ${SAMPLE - 1} order by seq limit 1)
             as size from step, ends)`,
      );
    const points = this.#db.prepare<[], { n: number | null }>('select sum(n) as n from series').get()?.n ?? 0;
    const metrics = count(1);
    return (
      count(0) * (ROW_BYTES + sample('log', 'octet_length(line) + coalesce(octet_length(fields), 0)')) +
      metrics * (ROW_BYTES + sample('metric', 'octet_length(data)')) +
      Math.min(points, metrics * 16) * POINT_BYTES
    );
  }

  /** Removes the rows before `end` that are older than an instant. */
  #removeFrom(end: number, olderThan: number): void {
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
