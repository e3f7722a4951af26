import { expect, it, onTestFinished } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { LedgerSummaries } from '../../../../../src/contract/ledger.ts';
import { ledgerFile, openLedger, openLedgerForReading } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../../../../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import type { KeptType } from '../../../../../src/main/host/ledger/vocabulary.ts';
import { createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import { readLedgerSummaries, readLedgerSummary } from '../../../../../src/main/host/logs/read-ledger-summary.ts';
import { tempDir } from '../../../../support/temp.ts';

const BOT = 'bot_1';
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 15, 12);
const UTC_NOW = { now: NOW, zone: 'UTC' };
const NONE = createBotMasker([]);

function ledger() {
  const file = ledgerFile(tempDir('summary-'));
  const db = openLedger(file);
  const writer = new LedgerWriter(db, 'fifo');
  const reading = openLedgerForReading(file);
  if (reading === null) throw new Error('no ledger');
  const reader = new LedgerReader(reading);
  onTestFinished(() => {
    reader.close();
    db.close();
  });
  let seq = 0;
  const add = (type: KeptType, fields: object, at = NOW, mode: 'paper' | 'live' = 'paper') => {
    seq += 1;
    writer.apply(BOT, [{ seq, at, type, mode, text: JSON.stringify(fields) }], seq);
  };
  const fill = (side: string, quantity: string, price: string, more: object = {}, at = NOW) =>
    add('fill', { fill_id: `f${seq}`, symbol: 'A', side, quantity, price, currency: 'USD', ...more }, at);
  return {
    reader,
    add,
    fill,
    summary: (now = NOW, zone = 'UTC') => readLedgerSummary(reader, NONE, BOT, { now, zone }),
  };
}

it('says what was earned today, what is held and what came last', () => {
  const { add, fill, summary } = ledger();
  fill('BUY', '4', '10', {}, NOW - DAY);
  fill('SELL', '1', '11', { fee: '0.1', fee_currency: 'USD' }, NOW - DAY);
  fill('SELL', '1', '12', { fee: '0.5', fee_currency: 'USD' });
  add('price', { symbol: 'A', value: '15' });
  add('signal', { type: 'BUY', symbol: 'A', price: 15 });
  add('equity', { value: '1000', currency: 'USD' });
  add('fill', { symbol: 'A' });
  expect(summary()).toEqual([
    {
      mode: 'paper',
      today: [{ currency: 'USD', symbol: null, realised: '2', net: '1.5' }],
      open_positions: 1,
      unrealised: [{ currency: 'USD', symbol: null, amount: '10', complete: true }],
      equity: [{ venue: null, account: null, currency: 'USD', value: '1000', at: '2026-01-15T12:00:00.000Z' }],
      last_fill: { at: '2026-01-15T12:00:00.000Z', symbol: 'A', side: 'SELL', quantity: '1', price: '12' },
      last_signal: { at: '2026-01-15T12:00:00.000Z', symbol: 'A', side: 'BUY', price: '15' },
      signals_today: 1,
      problems: 1,
    },
  ]);
  expect(summary(NOW + DAY)).toMatchObject([{ today: [], signals_today: 0, last_signal: { side: 'BUY' } }]);
});

it('has the profit of today in the zone that is asked for, and signals of the UTC day', () => {
  const { add, fill, summary } = ledger();
  fill('BUY', '2', '10', {}, NOW - DAY);
  // 23:30 in UTC is half past midnight in Berlin.
  fill('SELL', '1', '13', {}, NOW - 12.5 * 3_600_000);
  fill('SELL', '1', '11');
  add('signal', { type: 'BUY', symbol: 'A', price: 15 });
  expect(summary(NOW)).toMatchObject([{ today: [{ realised: '1' }], signals_today: 1 }]);
  expect(summary(NOW, 'Europe/Berlin')).toMatchObject([{ today: [{ realised: '4' }], signals_today: 1 }]);
  expect(summary(NOW, 'America/New_York')).toMatchObject([{ today: [{ realised: '1' }] }]);
  expect(summary(NOW - 8 * 3_600_000, 'America/New_York')).toMatchObject([{ today: [{ realised: '3' }] }]);
});

it('adds no two modes, no two currencies, and no two symbols of unknown currency', () => {
  const { add, fill, summary } = ledger();
  fill('BUY', '1', '10');
  fill('BUY', '1', '10', { symbol: 'B', currency: 'EUR' });
  fill('BUY', '1', '10', { symbol: 'C', currency: null });
  fill('BUY', '1', '10', { symbol: 'D', currency: null });
  add('price', { symbol: 'C', value: '12' });
  add('fill', { fill_id: 'x', symbol: 'A', side: 'BUY', quantity: '1', price: '1' }, NOW, 'live');
  const [live, paper] = summary();
  expect([live?.mode, live?.open_positions, paper?.open_positions]).toEqual(['live', 1, 4]);
  expect(paper?.unrealised).toEqual([
    { currency: 'USD', symbol: null, amount: '0', complete: false },
    { currency: 'EUR', symbol: null, amount: '0', complete: false },
    { currency: null, symbol: 'C', amount: '2', complete: true },
    { currency: null, symbol: 'D', amount: '0', complete: false },
  ]);
});

it('answers for the other bots when the books of one cannot be read', async () => {
  const { reader, fill } = ledger();
  fill('BUY', '1', '10');
  const books = {
    read: <Result>(botId: string, read: (ledger: LedgerReader | null, masker: typeof NONE) => Result): Result => {
      if (botId === 'bad') throw new PlatformError('INTERNAL', 'The ledger is damaged');
      return read(reader, NONE);
    },
  };
  const found = await readLedgerSummaries(books, ['bad', BOT, 'none'], { stopped: false }, UTC_NOW);
  expect(LedgerSummaries.parse(found).items.map(({ bot_id, ledger: one }) => [bot_id, one?.length ?? null])).toEqual([
    ['bad', null],
    [BOT, 1],
    ['none', 0],
  ]);
  expect(await readLedgerSummaries(books, [BOT], { stopped: true }, UTC_NOW)).toEqual({ items: [], incomplete: true });
});
