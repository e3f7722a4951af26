import { expect, it, onTestFinished } from 'vitest';
import { ledgerFile, openLedger, openLedgerForReading } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../../../../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import { createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import { readLedgerEquity, readLedgerOrders } from '../../../../../src/main/host/logs/read-orders-and-equity.ts';
import { tempDir } from '../../../../support/temp.ts';

const bot_id = 'bot_1';
const START = Date.UTC(2026, 0, 15);
const NONE = createBotMasker([]);

function ledger(rows: readonly object[], type: 'order' | 'equity' = 'order'): LedgerReader {
  const file = ledgerFile(tempDir('read-orders-'));
  const db = openLedger(file);
  new LedgerWriter(db, 'fifo').apply(
    bot_id,
    rows.map((row, seq) => ({
      seq: seq + 1,
      at: START + seq * 60_000,
      type,
      mode: 'paper',
      text: JSON.stringify(row),
    })),
    rows.length,
  );
  const reading = openLedgerForReading(file);
  if (reading === null) throw new Error('no ledger');
  const reader = new LedgerReader(reading);
  onTestFinished(() => {
    reader.close();
    db.close();
  });
  return reader;
}

const order = (id: string, rest: object = {}) => ({
  ...{ client_order_id: id, symbol: 'AAPL', side: 'BUY', quantity: '1.50', status: 'new', ...rest },
});

it('shows an order as its newest row says it, with all its statuses and what it repeats', () => {
  const reader = ledger([
    order('c1', { decision_id: 'd', type: 'limit', price: '9' }),
    order('c1', { decision_id: 'd', status: 'rejected', reason: 'no funds' }),
    order('c2', { decision_id: 'd' }),
  ]);
  const { orders } = readLedgerOrders(reader, NONE, { bot_id });
  expect(orders).toMatchObject([
    { client_order_id: 'c2', duplicate_of: 'c1', status: 'new', quantity: '1.5', seq: 3 },
    {
      ...{ client_order_id: 'c1', duplicate_of: null, status: 'rejected', reason: 'no funds', seq: 1 },
      at: '2026-01-15T00:00:00.000Z',
      history: [
        { status: 'new', seq: 1 },
        { status: 'rejected', seq: 2, reason: 'no funds' },
      ],
    },
  ]);
  expect(readLedgerOrders(reader, NONE, { bot_id, open: true }).orders.map((one) => one.client_order_id)).toEqual([
    'c2',
  ]);
});

it('gives each order once, page by page', () => {
  const reader = ledger(Array.from({ length: 25 }, (_, at) => order(`c${at}`)));
  const ids: string[] = [];
  for (let before: string | null | undefined; before !== null; ) {
    const page = readLedgerOrders(reader, NONE, { bot_id, limit: 10, ...(before === undefined ? {} : { before }) });
    ids.push(...page.orders.map(({ client_order_id }) => client_order_id));
    before = page.older_before;
  }
  expect(ids).toEqual(Array.from({ length: 25 }, (_, at) => `c${24 - at}`));
});

it('shows no secret that the bot has now', () => {
  const reader = ledger([order('key-4711-secret', { account: 'key-4711-secret', reason: 'used key-4711-secret' })]);
  const masked = JSON.stringify(readLedgerOrders(reader, createBotMasker(['key-4711-secret'], 'k'), { bot_id }));
  expect(masked).toContain('AAPL');
  expect(masked).not.toContain('key-4711-secret');
});

it('gives the curve of each account, and of a stretch of time', () => {
  const reader = ledger([{ value: '1' }, { value: '2', currency: 'USD' }, { value: '3', currency: 'USD' }], 'equity');
  const { curves } = readLedgerEquity(reader, NONE, { bot_id });
  expect(curves.map(({ currency, points }) => [currency, points.map(({ value }) => value)])).toEqual([
    [null, ['1']],
    ['USD', ['2', '3']],
  ]);
  const from = new Date(START + 120_000).toISOString();
  expect(readLedgerEquity(reader, NONE, { bot_id, from }).curves).toMatchObject([
    { currency: null, points: [{ at: from, value: '1' }] },
    { currency: 'USD', points: [{ value: '3' }] },
  ]);
  expect(readLedgerEquity(null, NONE, { bot_id }).curves).toEqual([]);
});
