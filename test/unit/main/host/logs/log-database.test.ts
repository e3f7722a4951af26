import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openLogDatabase, openLogDatabaseForReading } from '../../../../../src/main/host/logs/log-database.ts';
import { segmentName } from '../../../../../src/main/host/logs/log-segments.ts';
import { isDamaged } from '../../../../../src/node/storage-error.ts';
import { LogHere, readerOf } from '../../../../support/log-here.ts';
import { asRowSegment } from '../../../../support/row-segment.ts';

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

it('the tables of version 2 are those that its first release created', () => {
  const db = new Database(segment().file, { readonly: true });
  const tables = db.prepare('select type, name, tbl_name, sql from sqlite_schema order by name').raw().all();
  db.close();
  const sum = createHash('sha256').update(JSON.stringify(tables)).digest('hex');
  expect(sum, 'segments that exist would count as damaged: give other tables a new version').toBe(
    'ec7efab31444ab362f5dee64e0834aac9543c27adc07a0d44499edad3d317ebf',
  );
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

  it.each([0, 1, 3, 130])('is damaged when its version has become %s', (version) => {
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
    db.exec('create table of_tomorrow(id integer); pragma user_version = 3');
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
