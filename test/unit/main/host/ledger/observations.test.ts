import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { LedgerSourceRow } from '../../../../../src/main/host/ledger/book-writer.ts';
import { openLedger, openLedgerForReading } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../../../../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import { MOST_PRICES } from '../../../../../src/main/host/ledger/observations.ts';
import type { KeptType } from '../../../../../src/main/host/ledger/vocabulary.ts';
import { tempDir } from '../../../../support/temp.ts';

const START = Date.UTC(2026, 0, 15);
const BOT = 'bot_1';

const row = (seq: number, type: KeptType, fields: object, at = START + seq): LedgerSourceRow => ({
  ...{ seq, at, type, mode: 'paper' },
  text: JSON.stringify({ _metric: type, ...fields }),
});

function ledger() {
  const file = join(tempDir('observations-'), 'ledger.db');
  const db = openLedger(file);
  const reading = openLedgerForReading(file);
  if (reading === null) throw new Error('no ledger');
  const reader = new LedgerReader(reading);
  onTestFinished(() => {
    reader.close();
    db.close();
  });
  let writer = new LedgerWriter(db, 'fifo');
  return {
    reader,
    db,
    take: (...rows: LedgerSourceRow[]) => writer.apply(BOT, rows, rows.at(-1)?.seq ?? 0),
    /** The host is killed, and another one starts. */
    again: () => {
      writer = new LedgerWriter(db, 'fifo');
    },
    book: () => {
      const [book] = reader.books(BOT);
      if (book === undefined) throw new Error('no book');
      return book;
    },
  };
}

it('keeps the newest price of each symbol to the last digit, whatever the clock of the bot said', () => {
  const { take, reader, book } = ledger();
  const far = Date.UTC(2099, 0);
  take(
    row(1, 'price', { symbol: 'X', value: '1' }, far),
    row(2, 'price', { symbol: 'X', value: '0.10000000000000000001' }),
  );
  take(row(3, 'price', { symbol: 'Y', value: -2, currency: 'USD' }));
  expect(reader.prices(book().id).map(({ symbol, value, currency }) => [symbol, value, currency])).toEqual([
    ['X', '0.10000000000000000001', ''],
    ['Y', '-2', 'USD'],
  ]);
});

it('keeps a bounded number of prices of a bot that invents symbols', () => {
  const { take, reader, book } = ledger();
  take(...Array.from({ length: MOST_PRICES + 10 }, (_, at) => row(1 + at, 'price', { symbol: `S${at}`, value: at })));
  const kept = reader.prices(book().id);
  expect(kept).toHaveLength(MOST_PRICES);
  expect(kept.some(({ symbol }) => symbol === 'S0')).toBe(false);
});

it('keeps equity by the minute, with its lowest and highest, over a restart', () => {
  const { take, again, reader, book } = ledger();
  take(row(1, 'equity', { value: '100' }), row(2, 'portfolio_value', { value: '90', change_pct: 1 }));
  again();
  take(row(3, 'equity', { value: '120' }), row(4, 'equity', { value: '110' }));
  take(row(5, 'equity', { value: '7', account: 'second', currency: 'EUR' }, START + 60_000));
  const amounts = reader.equity(book().id, null, null, 500).map(({ account, currency, value, low, high }) => {
    return [account, currency, value, low, high];
  });
  expect(amounts).toEqual([
    ['', '', '110', '90', '120'],
    ['second', 'EUR', '7', '7', '7'],
  ]);
});

it('gives a year of equity in at most as many points as were asked for, none of its extremes lost', () => {
  const { take, reader, book } = ledger();
  const rows = Array.from({ length: 3000 }, (_, at) =>
    row(1 + at, 'equity', { value: at === 1234 ? '1' : at === 2345 ? '9999' : '500' }, START + at * 60_000),
  );
  take(...rows);
  const points = reader.equity(book().id, null, null, 50);
  expect(points.length).toBeGreaterThan(40);
  expect(points.length).toBeLessThanOrEqual(50);
  expect([
    Math.min(...points.map(({ low }) => Number(low))),
    Math.max(...points.map(({ high }) => Number(high))),
  ]).toEqual([1, 9999]);
  const part = reader.equity(book().id, START + 60_000, START + 180_000, 50);
  expect(part.map(({ at }) => (at - START) / 60_000)).toEqual([1, 2, 3]);
  expect(reader.equity(book().id, START + 1, null, 2)).toHaveLength(2);
});

it('begins equity of a range with what each account was worth before it', () => {
  const { take, reader, book } = ledger();
  const day = 86_400_000;
  take(
    row(1, 'equity', { value: '7', account: 'quiet', currency: 'USD' }, START),
    row(2, 'equity', { value: '8', account: 'quiet', currency: 'USD' }, START + day),
    row(3, 'equity', { value: '100', account: 'main', currency: 'USD' }, START + day),
    row(4, 'equity', { value: '110', account: 'main', currency: 'USD' }, START + 3 * day),
  );
  const shown = (from: number, to: number | null) =>
    reader.equity(book().id, START + from * day, to === null ? null : START + to * day, 500).map((one) => {
      return [one.account, (one.at - START) / day, one.value, one.low, one.high];
    });
  expect(shown(2, null)).toEqual([
    ['main', 2, '100', '100', '100'],
    ['quiet', 2, '8', '8', '8'],
    ['main', 3, '110', '110', '110'],
  ]);
  expect(shown(4, 5)).toEqual([
    ['main', 4, '110', '110', '110'],
    ['quiet', 4, '8', '8', '8'],
  ]);
  const since = reader.equity(book().id, START + 2 * day, null, 500).map((one) => one.since);
  expect(since).toEqual([START + day, START + day, undefined]);
  expect(shown(1, 2).map(([account]) => account)).toEqual(['main', 'quiet']);
  expect(shown(3, null).map(([account]) => account)).toEqual(['quiet', 'main']);
});

it('compares a position with the fills before it, those that come late among them', () => {
  const { take, reader, book } = ledger();
  const fill = (seq: number, at = START + seq) =>
    row(seq, 'fill', { fill_id: `f${seq}`, symbol: 'X', side: 'BUY', quantity: 1, price: 10 }, at);
  take(fill(1), row(2, 'position', { symbol: 'X', quantity: '1' }), fill(3));
  expect(reader.reports(book().id)).toMatchObject([{ quantity: '1', held: '1' }]);
  take(fill(4, START - 1), row(5, 'position', { symbol: 'X', quantity: '5' }));
  expect(reader.reports(book().id)).toMatchObject([{ quantity: '5', held: '3' }]);
});

it('counts signals by the day, and knows the newest', () => {
  const { take, reader, book } = ledger();
  take(row(1, 'signal', { type: 'BUY', symbol: 'X', price: 1.5 }), row(2, 'signal', { type: 'hold', note: 1 }));
  expect(reader.signals(book().id)).toMatchObject({ count: 2, symbol: null, side: null, price: null });
  take(row(3, 'signal', { type: 'SELL', symbol: 'Y', price: '2' }, START + 86_400_000));
  expect(reader.signals(book().id)).toMatchObject({ count: 1, symbol: 'Y', side: 'SELL', price: '2' });
});

it('keeps one of the rows that a bot writes wrongly with every tick', () => {
  const { take, again, reader, book } = ledger();
  take(...[1, 2, 3].map((seq) => row(seq, 'price', { value: seq })));
  again();
  take(row(4, 'price', { value: 4 }));
  expect(reader.problems(book(), 10)).toMatchObject([{ seq: 4, problem: '`symbol` is missing' }]);
});

it('keeps the newest rate of each day', () => {
  const { take, db } = ledger();
  take(
    row(1, 'rate', { base: 'USD', quote: 'EUR', value: '0.9' }),
    row(2, 'rate', { base: 'USD', quote: 'EUR', value: '0.91' }),
    row(3, 'rate', { base: 'USD', quote: 'EUR', value: '0.8', time: '2026-01-14' }),
  );
  expect(db.prepare('select value from rate order by day').pluck().all()).toEqual(['0.8', '0.91']);
});
