import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openLogDatabase, openLogDatabaseForReading } from '../../../../../src/main/host/logs/log-database.ts';
import { segmentName } from '../../../../../src/main/host/logs/log-segments.ts';
import { isDamaged } from '../../../../../src/node/storage-error.ts';
import { rowsOf } from '../../../../support/log-files.ts';
import { LogHere, readerOf } from '../../../../support/log-here.ts';
import { asRowSegment, asVersion2 } from '../../../../support/row-segment.ts';

/** The first segment of a log, closed and complete in its file. */
function segment(): { readonly dir: string; readonly file: string } {
  const log = new LogHere();
  log.write(5000, [{ line: 'stored', level: 1, run: 'run_1' }]);
  log.close();
  return { dir: log.dir, file: join(log.dir, segmentName(0)) };
}

/** Changes a byte of a file. */
function change(file: string, place: number, to: number): void {
  const bytes = readFileSync(file);
  bytes[place] = to;
  writeFileSync(file, bytes);
}

/** Last bytes of numbers in the head of a database. */
const FORMAT_BYTE = 47;
const VERSION_BYTE = 63;

const tablesIn = (file: string): string => {
  const db = new Database(file, { readonly: true });
  const tables = db.prepare('select type, name, tbl_name, sql from sqlite_schema order by name').raw().all();
  db.close();
  return createHash('sha256').update(JSON.stringify(tables)).digest('hex');
};

it('the tables of each version are those that its first release created', () => {
  const { file } = segment();
  const newest = tablesIn(file);
  asVersion2(file);
  expect(
    [tablesIn(file), newest],
    'segments that exist would count as damaged: give other tables a new version',
  ).toEqual([
    'ec7efab31444ab362f5dee64e0834aac9543c27adc07a0d44499edad3d317ebf',
    '32780d301407d7c637d82a7556af034684999a2adf659305c00825b4688ace43',
  ]);
  openLogDatabase(file)?.close();
});

it('a segment of version 2 is closed as it is, and the log goes on with the facts of its runs', () => {
  const old = new LogHere();
  old.write(5000, [{ line: 'before', level: 1, run: 'run_1' }]);
  old.write(5001, [{ type: 'price', symbol: 'A', values: { value: 1 }, time: null, run: 'run_1' }]);
  old.close();
  asVersion2(join(old.dir, segmentName(0)));
  const log = new LogHere(old.dir, 6000);
  log.facts.set('run_2', { mode: 'paper', hash: 'h2', trigger: 'deploy' });
  log.write(6000, [
    { line: 'after', level: 1, run: 'run_1' },
    { type: 'price', symbol: 'A', values: { value: 2 }, time: null, run: 'run_2' },
  ]);
  log.close();
  expect(log.segments()).toEqual([0, 1]);
  const runs = [...rowsOf(join(log.dir, segmentName(1)), 'select name, mode, hash, trigger from run order by id')];
  expect(runs).toEqual([
    { name: 'run_1', mode: null, hash: null, trigger: null },
    { name: 'run_2', mode: 'paper', hash: 'h2', trigger: 'deploy' },
  ]);
  const reader = readerOf(log.dir);
  expect(reader.metrics(null, 0, 99, 'asc', 9).map(({ run, mode }) => [run, mode])).toEqual([
    ['run_1', null],
    ['run_2', 'paper'],
  ]);
  reader.release();
});

it('a run whose first line came before its facts has them with its next line', () => {
  const log = new LogHere();
  log.write(5000, [{ line: 'it starts', level: 1, run: 'run_1' }]);
  log.facts.set('run_1', { mode: 'unverified', hash: null, trigger: 'restart' });
  log.write(5001, [{ line: 'it runs', level: 1, run: 'run_1' }]);
  log.close();
  expect([...rowsOf(join(log.dir, segmentName(0)), 'select id, name, mode, hash, trigger from run')]).toEqual([
    { id: 1, name: 'run_1', mode: 'unverified', hash: null, trigger: 'restart' },
  ]);
});

describe.each([
  ['reading', openLogDatabaseForReading],
  ['writing', openLogDatabase],
])('a segment that is opened for %s', (_, open) => {
  it.each(['code integer', 'series(id', 'primary key'])('is damaged when "%s" in its schema has changed', (text) => {
    const { file } = segment();
    const place = readFileSync(file).indexOf(text);
    expect(place).toBeGreaterThan(0);
    change(file, place, 'x'.charCodeAt(0));
    expect(() => open(file)).toThrow(expect.toSatisfy(isDamaged));
  });

  it.each([0, 1, 2, 4, 130])('is damaged when its version has become %s', (version) => {
    const { file } = segment();
    change(file, VERSION_BYTE, version);
    expect(() => open(file)).toThrow(expect.toSatisfy(isDamaged));
  });

  it('is damaged when SQLite cannot read its head', () => {
    const { file } = segment();
    change(file, FORMAT_BYTE, 9);
    expect(() => open(file)).toThrow(expect.toSatisfy(isDamaged));
  });

  it('is sound with the tables that an operator has added', () => {
    const { file } = segment();
    const db = new Database(file);
    db.exec('create index of_mine on state(value); analyze');
    db.close();
    open(file)?.close();
  });

  it('is refused when a newer release has written it', () => {
    const { file } = segment();
    const db = new Database(file);
    db.exec('create table of_tomorrow(id integer); pragma user_version = 4');
    db.close();
    expect(() => open(file)).toThrow('was written by a newer release');
  });
});

it('a segment of an earlier release is damaged when it lacks what is read', () => {
  const { dir, file } = segment();
  asRowSegment(file);
  change(file, readFileSync(file).indexOf('line text not null'), 'x'.charCodeAt(0));
  const reader = readerOf(dir);
  const everything = { minLevel: undefined, source: undefined, run: undefined, search: undefined };
  expect(() => reader.logs({ lo: 0, hi: 9 }, everything, 'asc', 9)).toThrow('no such column: line');
  reader.release();
});
