import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { PlatformError } from '../../../contract/errors.ts';
import { databaseHasTables } from '../../../node/database-has-tables.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import { makePrivate, refuseStrangeDatabase } from '../../../node/private-database-file.ts';
import type { Statements } from '../../../node/statements.ts';
import { damage } from '../../../node/storage-error.ts';
import { errorText, systemErrorCode } from '../../../node/system-error.ts';
import { BLOCK_TABLES } from './blocks/block-table.ts';
import { placeWhole } from './log-segments.ts';
import { ROLLUP_TABLES } from './rollup-tables.ts';

export type LogDatabase = Database.Database;

/**
 * Version 1 stores lines and metrics in rows, version 2 in blocks, version 3 also what is to be known of each run; only
 * segments of this version are written. A change of the tables needs the next number, and the next number other tables: a
 * segment without the tables of its version counts as damaged, and so does one with exactly those of another version.
 */
const VERSION = 3;
const FIRST_WITH_BLOCKS = 2;
const FIRST_WITH_RUN_FACTS = 3;

/** Prefix of the keys of `state` that store a symbol. */
export const SYMBOL_STATE = 'symbol:';
/** Prefix of the keys of `state` that name a lost part that the log has told of. */
export const LOST_STATE = 'lost:';

const RUN = `
create table run(id integer primary key, name text not null unique, mode text, hash text, trigger text);`;
const RUN_BEFORE_FACTS = `
create table run(id integer primary key, name text not null unique);`;

/**
 * One segment of a bot's log. Removing a bot, or its oldest lines, is an unlink, and damage stays in one segment. `seq` is one
 * counter for lines and metrics, which lie in blocks (blocks/), over all segments. `state` holds: `seq` and `ts` of the newest
 * row, of this segment or before it; `last_error`, a seq; `from_seq` and `from_ts`, at or above which its own rows are; `base`,
 * its bytes before its first row; the first segment lacks the last three. `symbol:TSLA` holds the time of the first metric
 * with that symbol, `lost:…` that a lost part was told of. A run has its mode, the hash of its version and its trigger
 * (RunFacts), because the rows of old runs leave the control database; null where the host did not know them.
 */
const SCHEMA = `
create table metric_type(id integer primary key, name text not null unique, n integer not null, seq integer not null,
  ts integer not null, time integer, run integer, data text not null);
create table series(id integer primary key, type integer not null, field text not null, symbol text not null,
  n integer not null, last real, last_at integer, unique(type, field, symbol));
${BLOCK_TABLES}${ROLLUP_TABLES}
create table count_minute(bucket integer not null, kind integer not null, n integer not null,
  primary key(bucket, kind)) without rowid;
create table count_hour(bucket integer not null, kind integer not null, n integer not null,
  primary key(bucket, kind)) without rowid;
create table spool(path text primary key, run text not null, offset integer not null, inside integer not null,
  level integer not null) without rowid;
create table state(key text primary key, value integer) without rowid;
`;

/** Limit of the symbols that are stored for a bot. */
export const MOST_SYMBOLS = 200;

/** Returns the symbols of a bot's metrics, the earliest first. */
export function knownSymbols(statements: Statements): string[] {
  const rows = statements.all<{ key: string }>(
    'select key from state where substr(key, 1, ?) = ? order by value, key',
    SYMBOL_STATE.length,
    SYMBOL_STATE,
  );
  return rows.map(({ key }) => key.slice(SYMBOL_STATE.length));
}

/** Counter kinds beside the four levels (0 debug to 3 error). */
export const COUNT_METRIC = 4;
export const COUNT_DROPPED = 5;

/**
 * Query for the state that the next segment inherits: the highest seq and ts, positions in spool files, and the
 * overview of every type and series. Only runs named there are included, because a scheduled bot has half a million
 * runs in a year.
 */
const CARRY_OVER = `
insert into metric_type select * from old.metric_type;
insert into series select * from old.series;
insert into spool select * from old.spool;
insert into state select key, value from old.state
  where key in ('seq', 'ts', 'last_error') or substr(key, 1, ${SYMBOL_STATE.length}) = '${SYMBOL_STATE}'
  or substr(key, 1, ${LOST_STATE.length}) = '${LOST_STATE}';
`;

const carryRuns = (columns: string): string =>
  `insert into run select ${columns} from old.run where id in (select run from old.metric_type)`;

/** A seq and a ts. */
export interface LogPosition {
  readonly seq: number;
  readonly ts: number;
}

export interface NewSegment {
  readonly file: string;
  /** The closed segment before this one; null for the first one. */
  readonly after: string | null;
  /** Seqs and times continue above these, whatever the segment before contains. */
  readonly above: LogPosition | null;
}

/** Creates a segment whole or not at all: the segment is invisible before the rename, and a killed host leaves a part. */
export function createSegment({ file, after, above }: NewSegment): void {
  placeWhole(
    file,
    (part) => {
      makePrivate(part);
      const db = new Database(part);
      try {
        // An unfinished part is discarded, and a finished one is synced before its rename.
        db.pragma('journal_mode = memory');
        db.pragma('synchronous = off');
        if (after !== null) {
          refuseStrangeDatabase(after);
          db.prepare('attach ? as old').run(after);
        }
        db.transaction(() => fill(db, after !== null, above))();
        if (after !== null) db.exec('detach old');
        db.pragma('journal_mode = wal');
      } finally {
        db.close();
      }
    },
    () => faultPoint('rotate:written'),
  );
  faultPoint('rotate:placed');
}

function fill(db: LogDatabase, goesOn: boolean, above: LogPosition | null): void {
  db.exec(RUN + SCHEMA);
  if (goesOn) {
    const before = Number(db.pragma('old.user_version', { simple: true }));
    db.exec(carryRuns(before < FIRST_WITH_RUN_FACTS ? 'id, name, null, null, null' : '*'));
    db.exec(CARRY_OVER);
  }
  const set = db.prepare<[string, number]>(
    `insert into state(key, value) values(?, ?) on conflict(key) do update set value = max(value, excluded.value)`,
  );
  if (above !== null) {
    set.run('seq', above.seq);
    set.run('ts', above.ts);
  }
  const value = (key: string): number =>
    db.prepare<[string], number>('select value from state where key = ?').pluck().get(key) ?? 0;
  if (goesOn || above !== null) {
    set.run('from_seq', value('seq') + 1);
    set.run('from_ts', value('ts'));
    set.run('base', databaseBytes(db));
  }
  db.pragma(`user_version = ${VERSION}`);
}

/** Returns the bytes that a database uses, including those in its write-ahead log, without pages that are free again. */
export function databaseBytes(db: LogDatabase): number {
  const number = (name: string): number => Number(db.pragma(name, { simple: true }));
  return (number('page_count') - number('freelist_count')) * number('page_size');
}

const TABLES = 'select type, name, tbl_name, sql from sqlite_schema';
const schemas = new Map<number, ReadonlySet<string>>();

const tablesOf = (db: LogDatabase): Set<string> => {
  return new Set(
    db
      .prepare(TABLES)
      .raw()
      .all()
      .map((row) => JSON.stringify(row)),
  );
};

/** The tables that a segment of a version with blocks was created with, letter by letter. */
function tablesOfVersion(version: number): ReadonlySet<string> {
  let tables = schemas.get(version);
  if (tables === undefined) {
    const fresh = new Database(':memory:');
    fresh.exec((version < FIRST_WITH_RUN_FACTS ? RUN_BEFORE_FACTS : RUN) + SCHEMA);
    tables = tablesOf(fresh);
    fresh.close();
    schemas.set(version, tables);
  }
  return tables;
}

/**
 * Checks the version of a segment and, of those with blocks, its tables: SQLite reads both from the file and has no
 * checksum for either. Further tables, such as those of `analyze`, are no harm.
 * Throws damage, or a PlatformError for a segment of a newer release.
 */
function checkSchema(db: LogDatabase, file: string): void {
  const version = versionOf(db);
  const tables = tablesOf(db);
  for (let known = FIRST_WITH_BLOCKS; known <= VERSION; known++) {
    const own = tablesOfVersion(known);
    const isWhole = [...own].every((table) => tables.has(table));
    if (known === version && !isWhole) throw damage('its tables are not as they were created');
    if (known !== version && isWhole && tables.size === own.size) {
      throw damage(`its version is not as it was stored (${version})`);
    }
  }
  if (version <= VERSION) return;
  throw new PlatformError('INTERNAL', `${file} was written by a newer release (log schema ${version})`, {
    hint: 'Start the newer release again.',
  });
}

/** What SQLite says of a head that it cannot read is an error of statements, which are the host's own. */
function openingFault(error: unknown): unknown {
  return systemErrorCode(error) === 'SQLITE_ERROR' ? damage(errorText(error)) : error;
}

/** Returns the version of a segment: 0 for one without a schema. */
function versionOf(db: LogDatabase): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/** True if a segment stores lines and metrics in blocks, not in rows. */
export function hasBlocks(db: LogDatabase): boolean {
  return versionOf(db) >= FIRST_WITH_BLOCKS;
}

/** True if a segment knows the mode, the hash and the trigger of its runs. */
export function hasRunFacts(db: LogDatabase): boolean {
  return versionOf(db) >= FIRST_WITH_RUN_FACTS;
}

/** True if this release writes such segments. One of an earlier release is never written again. */
export function isWritable(db: LogDatabase): boolean {
  return versionOf(db) === VERSION;
}

/**
 * Opens a segment for writing. WAL with synchronous=NORMAL: a killed host loses no commit; a power cut may lose the
 * last ones but never damages the file. Null for an empty segment that an earlier release began and never finished.
 */
export function openLogDatabase(file: string): LogDatabase | null {
  refuseStrangeDatabase(file);
  if (existsSync(file)) makePrivate(file);
  const db = new Database(file, { fileMustExist: true });
  try {
    db.pragma('busy_timeout = 5000');
    db.pragma('synchronous = NORMAL');
    checkSchema(db, file);
    if (versionOf(db) === 0) {
      if (databaseHasTables(db)) throw damage('its version is gone');
      db.close();
      return null;
    }
    db.pragma('journal_mode = WAL');
  } catch (error) {
    db.close();
    throw openingFault(error);
  }
  return db;
}

/** Opens for reading only. The caller has checked that the file exists. */
export function openLogDatabaseForReading(file: string): LogDatabase {
  refuseStrangeDatabase(file);
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    db.pragma('busy_timeout = 5000');
    // A file that is no database says so here, where the connection can still be closed.
    checkSchema(db, file);
  } catch (error) {
    db.close();
    throw openingFault(error);
  }
  return db;
}

/**
 * Checkpoints a whole segment into its file, so that the file is complete in itself, and closes it. A reader may delay
 * that.
 */
export function sealLogDatabase(db: LogDatabase): void {
  try {
    db.pragma('busy_timeout = 200');
    db.pragma('wal_checkpoint(truncate)');
  } finally {
    db.close();
  }
}
