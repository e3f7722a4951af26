import { describe, expect, it } from 'vitest';
import type { LedgerBook, LedgerEquityNow, LedgerModeSummary, LedgerSum } from '../../../../../src/contract/ledger.ts';
import { equityOf, modeTotals, signalsToday } from '../../../../../src/renderer/data/ledger/mode-totals.ts';

const sum = (currency: string | null, net: string | null): LedgerSum => ({
  ...{ day: null, symbol: null, venue: null, account: null, currency, realised: net ?? '5', fees: '0', flows: {}, net },
});
const book = (mode: LedgerBook['mode'], sums: LedgerSum[]): LedgerBook => ({
  ...{ mode, method: 'fifo', sums, positions: [], equity: [], differences: [], not_booked: 1, conflicts: 0 },
});

describe('totals of the desk', () => {
  it('never add two modes or two currencies, and leave rehearsals out', () => {
    const totals = modeTotals([
      {
        bot_id: 'a',
        erased: null,
        books: [book('live', [sum('USD', '0.1'), sum('USDT', '7')]), book('rehearsal', [sum('USD', '9')])],
      },
      {
        bot_id: 'b',
        erased: null,
        books: [book('paper', [sum('USD', '1000')]), book('live', [sum('USD', '0.2'), sum(null, null)])],
      },
    ]);
    expect(totals.map(({ mode, profit, unnamed, problems }) => ({ mode, profit, unnamed, problems }))).toEqual([
      {
        mode: 'live',
        profit: [
          { currency: 'USD', amount: '0.3' },
          { currency: 'USDT', amount: '7' },
        ],
        unnamed: 1,
        problems: 2,
      },
      { mode: 'paper', profit: [{ currency: 'USD', amount: '1000' }], unnamed: 0, problems: 1 },
    ]);
  });

  it('count the equity of an account once, whoever reports it, and no part beside its whole', () => {
    const value = (
      botId: string,
      account: string | null,
      value: string,
      at: string,
    ): LedgerEquityNow & { botId: string } => ({
      ...{ botId, venue: null, account, currency: 'USD', value, at },
    });
    expect(equityOf([value('a', 'main', '100', '2026-01-01'), value('b', 'main', '101', '2026-01-02')])).toEqual([
      { currency: 'USD', amount: '101' },
    ]);
    expect(equityOf([value('a', null, '100', '2026-01-01'), value('a', 'spot', '60', '2026-01-02')])).toEqual([
      { currency: 'USD', amount: '100' },
    ]);
    expect(equityOf([value('a', null, '100', '2026-01-01'), value('b', null, '50', '2026-01-01')])).toEqual([
      { currency: 'USD', amount: '150' },
    ]);
  });
});

it('counts signals of a mode only where all books are known', () => {
  const of = (mode: LedgerModeSummary['mode'], signals_today: number) => ({ mode, signals_today }) as LedgerModeSummary;
  const items = [
    { bot_id: 'a', ledger: [of('live', 2), of('paper', 1)] },
    { bot_id: 'b', ledger: [of('live', 3)] },
  ];
  expect([...(signalsToday({ items, incomplete: false }) ?? [])]).toEqual([
    ['live', 5],
    ['paper', 1],
  ]);
  expect(signalsToday({ items, incomplete: true })).toBeNull();
  expect(signalsToday({ items: [...items, { bot_id: 'c', ledger: null }], incomplete: false })).toBeNull();
});
