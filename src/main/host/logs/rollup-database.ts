import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { PlatformError } from '../../../contract/errors.ts';
import { makePrivate, refuseStrangeDatabase } from '../../../node/private-database-file.ts';
import { Statements } from '../../../node/statements.ts';
import { damage } from '../../../node/storage-error.ts';
import type { LogReader, SeriesName } from './log-database-read.ts';
import { placeWhole, ROLLUPS } from './log-segments.ts';
import { type Bucket, ROLLUP_CONFLICT, ROLLUP_TABLES, RollupTables } from './rollup-tables.ts';

const VERSION = 1;

const SCHEMA = `
create table series(id integer primary key, type text not null, field text not null, symbol text not null,
  unique(type, field, symbol));
${ROLLUP_TABLES}
create table merged(one integer primary key check(one = 1), segment integer not null, series integer not null);
insert into merged values(1, 0, 0);
pragma user_version = ${VERSION};
`;

/** Limit of rows in one transaction: short enough to fit between two batches of ingest. */
const STEP_ROWS = 10_000;
/** Cost of a series with nothing to merge, in rows. */
const SERIES_ROWS = 5;

/**
 * Progress of the merge: all rollups of earlier segments are merged, and in `segment` those of the series up to this
 * id.
 */
export interface Merged {
  readonly segment: number;
  readonly series: number;
}

export const NOTHING_MERGED: Merged = { segment: 0, series: 0 };

/** True if the rollups of a series are in the rollup database; `series` is the id that it has in the segment. */
export function isMerged(merged: Merged, segment: number, series: number): boolean {
  return segment < merged.segment || (segment === merged.segment && series <= merged.series);
}

interface SeriesRollups extends SeriesName {
  readonly id: number;
  readonly minutes: readonly Bucket[];
  readonly hours: readonly Bucket[];
}

/** Rollups of some series of a segment. */
export interface RollupBatch {
  readonly segment: number;
  readonly series: readonly SeriesRollups[];
  /** True if no series of the segment comes after these. */
  readonly isLast: boolean;
}

/** Returns the progress after this batch. */
export function mergedWith({ segment, series, isLast }: RollupBatch): Merged {
  return isLast ? { segment: segment + 1, series: 0 } : { segment, series: series.at(-1)?.id ?? 0 };
}

const EVER = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

/** Returns the next unmerged rollups of a segment, as many as fit into one transaction. */
export function readRollups(reader: LogReader, segment: number, merged: Merged): RollupBatch {
  const all = reader.seriesAfter(merged.segment === segment ? merged.series : 0);
  const series: SeriesRollups[] = [];
  let rows = 0;
  for (const one of all) {
    if (rows >= STEP_ROWS) break;
    const minutes = reader.rollups.buckets('minute', one.id, EVER.from, EVER.to);
    const hours = reader.rollups.buckets('hour', one.id, EVER.from, EVER.to);
    series.push({ ...one, minutes, hours });
    rows += SERIES_ROWS + minutes.length + hours.length;
  }
  return { segment, series, isLast: series.length === all.length };
}

/** Rollups of metrics whose rows may be gone, in `rollups.db` beside the segments of a bot. */
export class RollupDatabase {
  readonly #db: Database.Database;
  readonly #statements: Statements;
  readonly tables: RollupTables;

  private constructor(db: Database.Database) {
    this.#db = db;
    this.#statements = new Statements(db);
    this.tables = new RollupTables(this.#statements);
  }

  /** Opens for writing, and creates a missing file. */
  static open(dir: string): RollupDatabase {
    const file = join(dir, ROLLUPS);
    refuseStrangeDatabase(file);
    if (!existsSync(file)) placeWhole(file, create);
    makePrivate(file);
    const db = new Database(file, { fileMustExist: true });
    try {
      db.pragma('busy_timeout = 5000');
      // Merged rollups must survive a power cut, because their segment may be removed next. One flush covers 10,000
      // rows.
      db.pragma('synchronous = FULL');
      refuseNewer(db, file);
      // A file from a backup is not in this mode, and readers would make all ingest wait.
      db.pragma('journal_mode = WAL');
      return new RollupDatabase(db);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Opens for reading only. The caller has checked that the file exists. */
  static openForReading(file: string): RollupDatabase {
    refuseStrangeDatabase(file);
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      db.pragma('busy_timeout = 5000');
      refuseNewer(db, file);
      return new RollupDatabase(db);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }

  merged(): Merged {
    const merged = this.#statements.get<Merged>('select segment, series from merged');
    if (merged === undefined) throw damage('what it holds of which segment is gone');
    return merged;
  }

  seriesId(name: SeriesName): number | null {
    const { type, field, symbol } = name;
    const sql = 'select id from series where type = ? and field = ? and symbol = ?';
    return this.#statements.get<{ id: number }>(sql, type, field, symbol)?.id ?? null;
  }

  /** Runs reads that all see the same moment. */
  atOnce<Result>(read: () => Result): Result {
    return this.#db.transaction(read)();
  }

  /** Adds rollups, and stores with them that they are merged. Removes minutes before `minutesFrom`. */
  add(batch: RollupBatch, minutesFrom: number): Merged {
    const merged = mergedWith(batch);
    this.#db
      .transaction(() => {
        for (const series of batch.series) this.#addSeries(series, minutesFrom);
        this.#statements.run('update merged set segment = ?, series = ?', merged.segment, merged.series);
      })
      .immediate();
    return merged;
  }

  #addSeries(series: SeriesRollups, minutesFrom: number): void {
    const known = this.seriesId(series);
    if (known !== null) {
      this.#statements.run('delete from rollup_minute where series = ? and bucket < ?', known, minutesFrom);
    }
    if (series.hours.length === 0) return;
    const { type, field, symbol } = series;
    const insert = 'insert into series(type, field, symbol) values(?, ?, ?)';
    const id = known ?? Number(this.#statements.run(insert, type, field, symbol).lastInsertRowid);
    for (const [grain, buckets] of [
      ['minute', series.minutes.filter(({ t }) => t >= minutesFrom)],
      ['hour', series.hours],
    ] as const) {
      const upsert = `insert into rollup_${grain}(series, bucket, min, max, sum, n, last) values(?, ?, ?, ?, ?, ?, ?) ${ROLLUP_CONFLICT}`;
      for (const { t, min, max, sum, n, last: newest } of buckets) {
        this.#statements.run(upsert, id, t, min, max, sum, n, newest);
      }
    }
  }
}

/** Throws a PlatformError for a file of a newer release, whose tables may be others. */
function refuseNewer(db: Database.Database, file: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version <= VERSION) return;
  throw new PlatformError('INTERNAL', `${file} was written by a newer release`, {
    hint: 'Start the newer release again.',
  });
}

function create(part: string): void {
  makePrivate(part);
  const db = new Database(part);
  try {
    db.pragma('journal_mode = memory');
    db.pragma('synchronous = off');
    db.exec(SCHEMA);
    db.pragma('journal_mode = wal');
  } finally {
    db.close();
  }
}
