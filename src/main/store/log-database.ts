import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { PlatformError } from '../../contract/errors.ts';

export type LogDatabase = Database.Database;

const VERSION = 1;

/**
 * One database per bot: dropping a bot is an unlink, damage stays in one bot (performance.md section 1.3). `seq` is one
 * counter for log and metric. `meta` packs level, source and flags: every further column costs about 4 % of ingest.
 */
const SCHEMA = `
create table run(id integer primary key, name text not null unique);
create table log(seq integer primary key, ts integer not null, meta integer not null, run integer, line text not null,
  time integer, fields text);
create table metric_type(id integer primary key, name text not null unique, n integer not null, seq integer not null,
  ts integer not null, time integer, run integer, data text not null);
create table metric(seq integer primary key, ts integer not null, type integer not null, run integer, time integer,
  data text not null);
create index metric_by_type on metric(type);
create table series(id integer primary key, type integer not null, field text not null, symbol text not null,
  n integer not null, last real, last_at integer, unique(type, field, symbol));
create table point(series integer not null, t integer not null, seq integer not null, value real not null,
  primary key(series, t, seq)) without rowid;
create table rollup_minute(series integer not null, bucket integer not null, min real not null, max real not null,
  sum real not null, n integer not null, last real not null, primary key(series, bucket)) without rowid;
create table rollup_hour(series integer not null, bucket integer not null, min real not null, max real not null,
  sum real not null, n integer not null, last real not null, primary key(series, bucket)) without rowid;
create table count_minute(bucket integer not null, kind integer not null, n integer not null,
  primary key(bucket, kind)) without rowid;
create table count_hour(bucket integer not null, kind integer not null, n integer not null,
  primary key(bucket, kind)) without rowid;
create table spool(path text primary key, run text not null, offset integer not null, inside integer not null,
  level integer not null) without rowid;
create table state(key text primary key, value integer) without rowid;
`;

/** Counter kinds beside the four levels (0 debug to 3 error). */
export const COUNT_METRIC = 4;
export const COUNT_DROPPED = 5;

const META_CONTINUED = 16;
const META_NUL = 32;
const META_MASKED = 64;
/** SQL tests on `meta`; LIKE stops at a NUL, so such rows are always handed to the exact test. */
export const META_SQL = { level: '(meta & 3)', source: '((meta >> 2) & 3)', nul: `(meta & ${META_NUL})` } as const;

/** What `meta` packs: level 0-3, source 0-3, whether the line goes on in the next row, holds a NUL, masked places. */
export interface LogMeta {
  readonly level: number;
  readonly source: number;
  readonly continued: boolean;
  readonly nul: boolean;
  readonly masked: number;
}

export function packMeta(meta: LogMeta): number {
  return (
    meta.level +
    (meta.source << 2) +
    (meta.continued ? META_CONTINUED : 0) +
    (meta.nul ? META_NUL : 0) +
    meta.masked * META_MASKED
  );
}

export function unpackMeta(meta: number): LogMeta {
  return {
    level: meta & 3,
    source: (meta >> 2) & 3,
    continued: (meta & META_CONTINUED) !== 0,
    nul: (meta & META_NUL) !== 0,
    masked: Math.floor(meta / META_MASKED),
  };
}

/** Where the log database of a bot lies. The id becomes a folder name, so anything but plain characters is refused. */
export function logDatabasePath(dataDir: string, botId: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(botId)) throw new PlatformError('BOT_NOT_FOUND');
  return join(dataDir, 'bots', botId, 'log.db');
}

/**
 * Opens a bot's log database for writing and makes it if it is missing. WAL with synchronous=NORMAL: a killed host
 * loses no commit; a power cut may lose the last ones but never damages the file (performance.md section 5.1).
 */
export function openLogDatabase(file: string): LogDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const db = new Database(file);
  try {
    db.pragma('busy_timeout = 5000');
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > VERSION) {
      throw new PlatformError('INTERNAL', `${file} was written by a newer release (log schema ${version})`, {
        hint: 'Start the newer release again.',
      });
    }
    if (version === 0) {
      db.pragma('auto_vacuum = incremental');
      db.pragma('journal_mode = WAL');
      db.transaction(() => {
        db.exec(SCHEMA);
        db.pragma(`user_version = ${VERSION}`);
      })();
    }
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** Opens for reading only. The caller has checked that the file exists. */
export function openLogDatabaseForReading(file: string): LogDatabase {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  db.pragma('busy_timeout = 5000');
  return db;
}

function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The file is damaged: nothing but a fresh database helps. */
export function isDamaged(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
}

/** No space is left: the same write works again once there is some. */
export function isDiskFull(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT';
}

/** Puts a damaged database aside as `log.db.corrupt-<ms>`, its log and index beside it; returns the new path. */
export function setAsideDatabase(file: string, now: number): string {
  const aside = `${file}.corrupt-${now}`;
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      renameSync(file + suffix, aside + suffix);
    } catch (error) {
      if (sqliteCode(error) !== 'ENOENT') throw error;
    }
  }
  return aside;
}

/** Removes a bot's log database and what was set aside of it. The folder holds other things too and stays. */
export function removeLogDatabase(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) return;
  const name = basename(file);
  for (const entry of readdirSync(folder)) if (entry.startsWith(name)) rmSync(join(folder, entry), { force: true });
}
