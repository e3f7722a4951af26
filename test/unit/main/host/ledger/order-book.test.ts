import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { LedgerSourceRow } from '../../../../../src/main/host/ledger/book-writer.ts';
import { openLedger, openLedgerForReading } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../../../../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import { tempDir } from '../../../../support/temp.ts';

const START = Date.UTC(2026, 0, 15);
const BOT = 'bot_1';

const order = (seq: number, rest: object): LedgerSourceRow => ({
  seq,
  at: START + seq,
  type: 'order',
  mode: 'paper',
  text: JSON.stringify({
    ...{ _metric: 'order', client_order_id: 'c1', symbol: 'AAPL', side: 'BUY', quantity: '1', status: 'new' },
    ...rest,
  }),
});

function ledger() {
  const file = join(tempDir('orders-'), 'ledger.db');
  const db = openLedger(file);
  const writer = new LedgerWriter(db, 'fifo');
  const reading = openLedgerForReading(file);
  if (reading === null) throw new Error('no ledger');
  const reader = new LedgerReader(reading);
  onTestFinished(() => {
    reader.close();
    db.close();
  });
  const orders = (isOpen = false) => {
    const [book] = reader.books(BOT);
    if (book === undefined) return [];
    return reader.orders(book, null, 100, isOpen).map((one) => ({
      ...{ seq: one.seq, status: JSON.parse(one.text).status, first: one.first },
      history: reader.statuses(one, 50).map(({ text }) => JSON.parse(text).status),
    }));
  };
  return { writer, orders, take: (...rows: LedgerSourceRow[]) => writer.apply(BOT, rows, rows.at(-1)?.seq ?? 0) };
}

it('keeps each status of an order once, however often the bot writes it', () => {
  const { take, orders } = ledger();
  const all = ['new', 'accepted', 'partially_filled', 'filled'].map((status, at) => order(1 + at, { status }));
  take(...all);
  take(...all.map((row) => ({ ...row, seq: row.seq + 10, at: row.at + 10 })));
  expect(orders()).toEqual([
    { seq: 1, status: 'filled', first: null, history: ['new', 'accepted', 'partially_filled', 'filled'] },
  ]);
  expect(orders(true)).toEqual([]);
});

it('does not go back to an earlier status whose row comes late', () => {
  const { take, orders } = ledger();
  take(order(1, { status: 'cancelled', time: '2026-01-15T12:00:00Z' }));
  take(order(2, { status: 'new', time: '2026-01-15T11:00:00Z' }));
  expect(orders()[0]).toMatchObject({ status: 'cancelled', history: ['new', 'cancelled'] });
});

it.each([
  ['a date that does not exist', { time: '2026-02-30' }],
  ['a side that is unknown', { side: 'buy' }],
  ['a status that is unknown', { status: 'open' }],
])('shows a row with %s among the problems, and takes the next one', (_, rest) => {
  const { take, orders, writer } = ledger();
  take(order(1, rest), order(2, { client_order_id: 'c2' }));
  expect(orders().map(({ seq }) => seq)).toEqual([2]);
  expect(writer.cursor(BOT)).toBe(2);
});

it('finds two orders for one decision, symbol, side and leg, and tells of the second until it was told', () => {
  const { take, writer, orders } = ledger();
  const decided = { decision_id: 'd1' };
  take(order(1, decided), order(2, { ...decided, status: 'accepted' }));
  expect(writer.duplicates(BOT, 10)).toEqual([]);
  take(
    order(3, { ...decided, client_order_id: 'c2', leg: 'hedge' }),
    order(4, { ...decided, client_order_id: 'c3', symbol: 'MSFT' }),
    order(5, { ...decided, client_order_id: 'c4', side: 'SELL' }),
  );
  expect(writer.duplicates(BOT, 10)).toEqual([]);
  take(order(6, { ...decided, client_order_id: 'c5' }));
  const [found] = writer.duplicates(BOT, 10);
  expect(found).toMatchObject({ seq: 6, client: 'c5', first: 'c1', decision: 'd1', symbol: 'AAPL', mode: 'paper' });
  writer.toldDuplicates(BOT, 6);
  expect(writer.duplicates(BOT, 10)).toEqual([]);
  expect(orders().find(({ seq }) => seq === 6)?.first).toBe('c1');
});

it('finds a duplicate whose decision is named only later, but does not compare modes', () => {
  const { take, writer } = ledger();
  take(order(1, { decision_id: 'd1' }), order(2, { client_order_id: 'c2' }));
  take({ ...order(3, { client_order_id: 'c3', decision_id: 'd1' }), mode: 'live' });
  expect(writer.duplicates(BOT, 10)).toEqual([]);
  take(order(4, { client_order_id: 'c2', status: 'accepted', decision_id: 'd1' }));
  expect(writer.duplicates(BOT, 10).map(({ client }) => client)).toEqual(['c2']);
});

it('shows orders that an earlier release left in the log, and tells nobody of their duplicates', () => {
  const { take, writer, orders } = ledger();
  take(order(20, { client_order_id: 'new' }));
  const left = [order(1, { decision_id: 'd1' }), order(2, { decision_id: 'd1', client_order_id: 'c2' })];
  writer.applyLeft(BOT, left, 2);
  writer.applyLeft(BOT, left, 2);
  expect(orders().map(({ seq, first }) => [seq, first])).toEqual([
    [20, null],
    [2, 'c1'],
    [1, null],
  ]);
  expect(writer.duplicates(BOT, 10)).toEqual([]);
});
