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

  it('take nothing for a remainder that began from nothing, however much was held before', () => {
    expect(holdingsOf(0, changes([1, 1000], [2, -1000], [3, 1], [4, -1]))).toEqual([
      { side: 'long', from: 1, to: 2 },
      { side: 'long', from: 3, to: 4 },
    ]);
  });

  it('end with each exit, however much the remainders of many come to', () => {
    const trips = Array.from({ length: 50 }, (_, trip) => [[2 * trip, 1] as const, [2 * trip + 1, -0.999] as const]);
    expect(holdingsOf(0.05, changes(...trips.flat()))).toEqual(
      trips.map((_, trip) => ({ side: 'long', from: 2 * trip, to: 2 * trip + 1 })),
    );
    expect(holdingsOf(0, changes([1, 1], [2, -0.999], [3, -0.0005], [4, -0.0005]))).toHaveLength(1);
    expect(holdingsOf(-0.999, changes([1, 1], [2, -0.999], [3, -1]))).toEqual([
      { side: 'long', from: 1, to: 2 },
      { side: 'short', from: 3, to: null },
    ]);
  });

  it('begin with the oldest units where no change is known', () => {
    expect(holdingsOf(-5, [], 3)).toEqual([{ side: 'short', from: 3, to: null }]);
    expect(holdingsOf(0, [], 3)).toEqual([]);
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
  ...{ position_side: 'net', moved: change.side === 'SELL' ? `-${change.quantity ?? 1}` : (change.quantity ?? '1') },
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

const byStart = (a: { from: number }, b: { from: number }) => a.from - b.from;
const ofAll = (entries: readonly LedgerEntry[], books: readonly LedgerBook[]) =>
  tradedBySymbol({ entries, older_before: null }, books);

describe('what a ledger says of a symbol', () => {
  it('counts by what a row moved, so that a fee in the base asset makes no short position', () => {
    const trips = Array.from({ length: 50 }, (_, trip) => [
      entry(2 * trip, { moved: '0.999' }),
      entry(2 * trip + 1, { side: 'SELL', quantity: '0.999', moved: '-0.999' }),
    ]);
    const holdings = ofAll(trips.flat().reverse(), [book('paper', null)]).get('BTC')?.holdings;
    expect(holdings).toHaveLength(50);
    expect(holdings?.every(({ side }) => side === 'long')).toBe(true);
  });

  it('keeps accounts and the sides of a hedge apart', () => {
    const long = { account: 'a' };
    const short = { account: 'b', side: 'SELL' } as const;
    const held = (one: Partial<LedgerBook['positions'][number]>, two: Partial<LedgerBook['positions'][number]>) => {
      const { positions, ...rest } = book('paper', '1');
      return [
        { ...rest, positions: [one, two].flatMap((of) => positions.map((position) => ({ ...position, ...of }))) },
      ];
    };
    const both = [
      { side: 'long', from: 1000, to: null },
      { side: 'short', from: 2000, to: null },
    ];
    const accounts = held({ account: 'a' }, { account: 'b', quantity: '-1' });
    expect(
      ofAll([entry(2, short), entry(1, long)], accounts)
        .get('BTC')
        ?.holdings.toSorted(byStart),
    ).toEqual(both);
    const sides = held({ side: 'long' }, { side: 'short', quantity: '-1' });
    const rows = [entry(2, { side: 'SELL', position_side: 'short' }), entry(1, { position_side: 'long' })];
    expect(ofAll(rows, sides).get('BTC')?.holdings.toSorted(byStart)).toEqual(both);
  });

  it('says nothing of the time before an adjustment that could be of either side of a hedge', () => {
    const { positions, ...rest } = book('paper', '11');
    const since = new Date(1000).toISOString();
    const hedge = (['long', 'short'] as const).map((side) => ({
      ...{ ...positions[0], side, since, quantity: side === 'long' ? '11' : '-10' },
    })) as LedgerBook['positions'];
    const rows = [
      entry(4, { position_side: 'long' }),
      entry(3, { type: 'adjustment', kind: 'split', side: null, position_side: null, moved: '0' }),
      entry(2, { side: 'SELL', position_side: 'short' }),
      entry(1, { position_side: 'long' }),
    ];
    expect(ofAll(rows, [{ ...rest, positions: hedge }]).get('BTC')?.holdings).toEqual([
      { side: 'short', from: 1000, to: null },
      { side: 'long', from: 4000, to: null },
    ]);
  });

  it('shades a position whose last change is older than the rows from its oldest units, and says how far the rows go', () => {
    const { positions, ...rest } = book('paper', '1');
    const old = positions.map((one) => ({ ...one, since: new Date(500).toISOString() }));
    const page = { entries: [entry(9, { symbol: 'ETH' }), entry(7, { symbol: 'ETH', side: 'SELL' })] };
    const books = [{ ...rest, positions: old }];
    expect(tradedBySymbol({ ...page, older_before: '7-7' }, books).get('BTC')).toEqual({
      holdings: [{ side: 'long', from: 500, to: null }],
      fills: [],
      since: 7000,
    });
    expect(tradedBySymbol({ ...page, older_before: null }, books).get('BTC')?.since).toBeNull();
  });

  it('keeps modes and symbols apart, and counts no row that is not booked', () => {
    const traded = ofAll(
      [
        entry(5, { side: 'SELL', mode: 'live', moved: null, problem: 'more than is held' }),
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
      since: null,
    });
    expect(traded.get('ETH')?.fills).toHaveLength(1);
  });

  it('takes units that a split or a reward adds as they are, and makes no dot of them', () => {
    const traded = ofAll(
      [entry(2, { type: 'adjustment', kind: 'split', side: null, quantity: '9', price: null }), entry(1, {})],
      [book('live', null), book('paper', '10')],
    );
    expect(traded.get('BTC')).toEqual({
      holdings: [{ side: 'long', from: 1000, to: null }],
      fills: [{ id: 'paper 1', t: 1000, side: 'BUY', price: 100 }],
      since: null,
    });
  });

  it('is nothing for cash', () => {
    expect(ofAll([entry(1, { type: 'cash_flow', quantity: null, moved: null })], []).size).toBe(0);
  });
});
