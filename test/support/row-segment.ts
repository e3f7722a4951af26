import { renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { ROLLUP_TABLES } from '../../src/main/host/logs/rollup-tables.ts';
import { rowsOf } from './log-files.ts';

/** Schema of a segment as the releases wrote it that stored rows. */
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
${ROLLUP_TABLES}
create table count_minute(bucket integer not null, kind integer not null, n integer not null,
  primary key(bucket, kind)) without rowid;
create table count_hour(bucket integer not null, kind integer not null, n integer not null,
  primary key(bucket, kind)) without rowid;
create table spool(path text primary key, run text not null, offset integer not null, inside integer not null,
  level integer not null) without rowid;
create table state(key text primary key, value integer) without rowid;
pragma user_version = 1;
`;

const SAME = 'run metric_type series rollup_minute rollup_hour count_minute count_hour spool state'.split(' ');

/** Columns of a table that has more of them today. */
const COLUMNS: ReadonlyMap<string, string> = new Map([['run', 'id, name']]);

/** Turns a segment that nobody has open into one of version 2, which knows only the names of its runs. */
export function asVersion2(file: string): void {
  const db = new Database(file);
  db.transaction(() => {
    db.exec('alter table run rename to run_of_today');
    db.exec('create table run(id integer primary key, name text not null unique)');
    db.exec('insert into run select id, name from run_of_today');
    db.exec('drop table run_of_today');
    db.pragma('user_version = 2');
  })();
  db.close();
}

/** Makes a segment, which nobody has open, what an earlier release would have written: a row for each line. */
export function asRowSegment(file: string): void {
  const made = `${file}.rows`;
  const db = new Database(made);
  db.pragma('journal_mode = WAL');
  db.exec(SCHEMA);
  db.prepare('attach ? as blocks').run(file);
  db.transaction(() => {
    for (const table of SAME)
      db.exec(`insert into main.${table} select ${COLUMNS.get(table) ?? '*'} from blocks.${table}`);
    for (const [table, columns] of [
      ['log', ['seq', 'ts', 'meta', 'run', 'line', 'time', 'fields']],
      ['metric', ['seq', 'ts', 'type', 'run', 'time', 'data']],
      ['point', ['series', 't', 'seq', 'value']],
    ] as const) {
      const insert = db.prepare(`insert into main.${table} values(${columns.map(() => '?').join()})`);
      const rows = rowsOf<Record<string, unknown>>(file, `select ${columns.join()} from ${table}`);
      for (const row of rows) insert.run(columns.map((column) => row[column]));
    }
  })();
  db.exec('detach blocks');
  db.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  renameSync(made, file);
}
