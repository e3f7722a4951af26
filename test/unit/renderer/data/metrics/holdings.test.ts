import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerBook, LedgerEntry } from '../../../../../src/contract/ledger.ts';
import { holdingsOf, tradedBySymbol } from '../../../../../src/renderer/data/metrics/holdings.ts';

const changes = (...all: readonly (readonly [t: number, change: number])[]) =>
  all.map(([t, change]) => ({ t, change })).reverse();

describe('times in which something was held', () => {
  it('go from the entry to the exit, over what is added and sold in part', () => {
    expect(holdingsOf(0, changes([1, 2], [2, 1], [3, -1], [4, -2]))).toEqual([{ side: 'long', from: 1, to: 4 }]);
    expect(holdingsOf(-1, changes([1, 2], [2, -2], [5, -1]))).toEqual([
      { side: 'long', from: 1, to: 2 },
      { side: 'short', from: 5, to: null },
    ]);
  });

  it('end where a trade turns the side', () => {
    expect(holdingsOf(-1, changes([1, 1], [2, -2]))).toEqual([
      { side: 'long', from: 1, to: 2 },
      { side: 'short', from: 2, to: null },
    ]);
  });

  it('say nothing of the time before the oldest change, and need no beginning', () => {
    expect(holdingsOf(5, changes([7, -5]))).toEqual([{ side: 'long', from: 7, to: null }]);
    expect(holdingsOf(5, [])).toEqual([]);
  });

  it('take what a fee leaves for nothing', () => {
    expect(holdingsOf(0, changes([1, 1], [2, -0.999]))).toEqual([{ side: 'long', from: 1, to: 2 }]);
  });

  it('are those of going forward, whatever was traded', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.integer({ min: -3, max: 3 }).filter((one) => one !== 0),
          { maxLength: 30 },
        ),
        (all) => {
          const total = all.reduce((sum, one) => sum + one, 0);
          const found = holdingsOf(total, changes(...all.map((one, t) => [t, one] as const)));
          let level = 0;
          for (const [t, one] of all.entries()) {
            level += one;
            const at = found.filter(({ from, to }) => from <= t && t < (to ?? Number.POSITIVE_INFINITY));
            expect(at.map(({ side }) => side)).toEqual(level === 0 ? [] : [level > 0 ? 'long' : 'short']);
          }
        },
      ),
    );
  });
});

const entry = (seq: number, change: Partial<LedgerEntry>): LedgerEntry => ({
  ...{ mode: 'paper', seq, at: new Date(seq * 1000).toISOString(), type: 'fill', id: `${seq}`, venue: null },
  ...{ account: null, symbol: 'BTC', side: 'BUY', kind: null, quantity: '1', price: '100', realised: null },
  ...{ realised_currency: null, charge: null, charge_currency: null, unknown: null, unverified: false },
  ...{ difference: null, problem: null },
  ...change,
});
const book = (mode: LedgerBook['mode'], quantity: string | null): LedgerBook => ({
  ...{ mode, method: 'fifo', sums: [], equity: [], differences: [], not_booked: 0, conflicts: 0 },
  positions:
    quantity === null
      ? []
      : [
          {
            ...{ account: null, symbol: 'BTC', side: 'net', contract: 'spot', quantity, multiplier: '1' },
            ...{ currency: null, average_price: null, cost: null, since: null, price: null, price_at: null },
            ...{ unrealised: null, difference: null },
          },
        ],
});

describe('what a ledger says of a symbol', () => {
  it('keeps modes and symbols apart, and counts no row that is not booked', () => {
    const traded = tradedBySymbol(
      [
        entry(5, { side: 'SELL', mode: 'live', problem: 'more than is held' }),
        entry(4, { symbol: 'ETH', quantity: '3', side: 'SELL' }),
        entry(3, { side: 'SELL' }),
        entry(2, { mode: 'live', quantity: '0.5', price: '101.5' }),
        entry(1, {}),
      ],
      [book('paper', null), book('live', '0.5')],
    );
    expect(traded.get('BTC')).toEqual({
      holdings: [
        { side: 'long', from: 1000, to: 3000 },
        { side: 'long', from: 2000, to: null },
      ],
      fills: [
        { id: 'paper 1', t: 1000, side: 'BUY', price: 100 },
        { id: 'live 2', t: 2000, side: 'BUY', price: 101.5 },
        { id: 'paper 3', t: 3000, side: 'SELL', price: 100 },
      ],
    });
    expect(traded.get('ETH')?.fills).toHaveLength(1);
  });

  it('takes units that a split or a reward adds as they are, and makes no dot of them', () => {
    const traded = tradedBySymbol(
      [entry(2, { type: 'adjustment', kind: 'split', side: null, quantity: '9', price: null }), entry(1, {})],
      [book('live', null), book('paper', '10')],
    );
    expect(traded.get('BTC')).toEqual({
      holdings: [{ side: 'long', from: 1000, to: null }],
      fills: [{ id: 'paper 1', t: 1000, side: 'BUY', price: 100 }],
    });
  });

  it('is nothing for cash', () => {
    expect(tradedBySymbol([entry(1, { type: 'cash_flow', quantity: null })], []).size).toBe(0);
  });
});
