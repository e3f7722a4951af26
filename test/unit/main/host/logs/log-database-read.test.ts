import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openLogDatabaseForReading } from '../../../../../src/main/host/logs/log-database.ts';
import { LogReader } from '../../../../../src/main/host/logs/log-database-read.ts';
import { isDamaged } from '../../../../../src/node/storage-error.ts';
import { LogHere } from '../../../../support/log-here.ts';

/** Changes a byte of the first entry in the index by which series are found: the type of its metric. */
function changeIndex(file: string): void {
  const db = new Database(file, { readonly: true });
  const root = db
    .prepare<[], number>("select rootpage from sqlite_schema where name = 'sqlite_autoindex_series_1'")
    .pluck()
    .get();
  const size = Number(db.pragma('page_size', { simple: true }));
  db.close();
  if (root === undefined) throw new Error('no index of series');
  const page = (root - 1) * size;
  const bytes = readFileSync(file);
  // Of a leaf, the places of its entries begin at 8. An entry: its length, that of its header, then the kinds of its columns.
  const kind = page + bytes.readUInt16BE(page + 8) + 2;
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.of((bytes[kind] ?? 0) ^ 1), 0, 1, kind);
  closeSync(fd);
}

it('lists all series, or says that the file is damaged where an index of their names is', () => {
  const log = new LogHere();
  const symbols = ['A', 'B', 'C', 'D'];
  log.write(
    0,
    symbols.map((symbol) => ({ type: 'price', symbol, values: { value: 1 }, time: 0, run: 'run_1' })),
  );
  log.close();
  const file = join(log.dir, 'log.db');
  const reading = (): LogReader => new LogReader(openLogDatabaseForReading(file));
  expect(
    reading()
      .series()
      .map(({ symbol }) => symbol),
  ).toEqual(symbols);
  changeIndex(file);
  const name = { type: 'price', field: 'value', symbol: 'A' };
  for (const read of [
    (reader: LogReader) => reader.series(),
    (reader: LogReader) => reader.seriesOf('price', 'value'),
    (reader: LogReader) => reader.seriesId(name),
    (reader: LogReader) => reader.seriesAfter(0),
    (reader: LogReader) => reader.symbols(),
  ])
    expect(() => read(reading())).toThrow(expect.toSatisfy(isDamaged));
});
