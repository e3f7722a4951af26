import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { holdsBooks, openLedger, openLedgerForReading } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import { dump } from '../../../../support/ledger-logs.ts';
import { tempDir } from '../../../../support/temp.ts';

const NEW = ['bot_order', 'order_status', 'price', 'report', 'equity', 'rate', 'signals', 'method', 'erasure'];

/** A ledger as the first release with one left it, with a booked fill. */
function ledgerOfVersion1(): string {
  const file = join(tempDir('ledger-1-'), 'ledger.db');
  const db = openLedger(file);
  const fill = { fill_id: 'f', symbol: 'X', side: 'BUY', quantity: 1, price: 10 };
  new LedgerWriter(db, 'fifo').apply(
    'bot_1',
    [{ seq: 7, at: Date.UTC(2026, 0), type: 'fill', mode: 'paper', text: JSON.stringify(fill) }],
    9,
  );
  for (const table of NEW) db.exec(`drop table ${table}`);
  db.exec(
    'alter table cursor drop column again; alter table cursor drop column again_to; alter table book drop column revision; pragma user_version = 1',
  );
  db.close();
  return file;
}

it('brings a ledger of the first release up to date, and has its log looked through for what that left there', () => {
  const file = ledgerOfVersion1();
  const before = new Database(file, { readonly: true });
  const books = before.prepare('select * from entry').all();
  before.close();
  const db = openLedger(file);
  try {
    const writer = new LedgerWriter(db, 'fifo');
    expect(db.prepare('select * from entry').all()).toEqual(books);
    expect(writer.left('bot_1')).toEqual({ from: 0, to: 9 });
    expect(writer.unsettled()).toEqual(['bot_1']);
    writer.applyLeft('bot_1', [], 4);
    expect(writer.left('bot_1')).toEqual({ from: 4, to: 9 });
    writer.applyLeft('bot_1', [], 9);
    expect(writer.left('bot_1')).toBeNull();
    writer.settled(['bot_1']);
    expect(writer.unsettled()).toEqual([]);
    expect(dump(db)).toBeDefined();
  } finally {
    db.close();
  }
});

it('takes a ledger of an earlier release for one with books, which no restore may replace', () => {
  const file = ledgerOfVersion1();
  expect(openLedgerForReading(file)).toBeNull();
  expect(holdsBooks(file)).toBe(true);
  expect(holdsBooks(join(tempDir(), 'none.db'))).toBe(false);
});

it('refuses a ledger of a later release', () => {
  const file = ledgerOfVersion1();
  const db = new Database(file);
  db.pragma('user_version = 99');
  db.close();
  expect(() => openLedger(file)).toThrow('newer release');
  expect(holdsBooks(file)).toBe(true);
});
