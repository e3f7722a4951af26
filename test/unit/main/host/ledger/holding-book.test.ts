import { describe, expect, it, onTestFailed } from 'vitest';
import { decimalText } from '../../../../../src/main/host/ledger/decimal.ts';
import { type BookableRow, type Booking, HoldingBook } from '../../../../../src/main/host/ledger/holding-book.ts';
import type { LotMethod } from '../../../../../src/main/host/ledger/lots.ts';
import { readRow } from '../../../../../src/main/host/ledger/read-row.ts';
import type { LedgerType } from '../../../../../src/main/host/ledger/vocabulary.ts';
import { LedgerOracle, type OraclePosition, type Outcome, parse, print } from '../../../../support/ledger-oracle.ts';
import { someRow } from '../../../../support/ledger-rows.ts';
import { rounds } from '../../../../support/proof.ts';
import { SeededRandom, testSeed } from '../../../../support/seeded-random.ts';

const AT = Date.UTC(2026, 0, 15);

function rowOf(type: LedgerType, data: object, seq: number): BookableRow {
  const { row, problem } = readRow(type, JSON.stringify({ _metric: type, ...data }), seq);
  if (row === null) throw new Error(problem);
  if (row.type === 'fill' || row.type === 'adjustment' || row.type === 'position') return { row, seq, at: AT + seq };
  throw new Error(`${type} changes no holding`);
}

/** A book to which rows are told one after another. */
class Told {
  readonly book: HoldingBook;
  #seq = 0;

  constructor(method: LotMethod = 'fifo') {
    this.book = new HoldingBook(method);
  }

  tell(type: LedgerType, data: object): Booking {
    this.#seq += 1;
    return this.book.book(rowOf(type, data, this.#seq));
  }

  fill(side: 'BUY' | 'SELL', quantity: string, price: string, rest: object = {}): Booking {
    return this.tell('fill', { fill_id: `f${this.#seq}`, symbol: 'X', side, quantity, price, ...rest });
  }

  adjust(kind: string, quantity: string, rest: object = {}): Booking {
    return this.tell('adjustment', { adjustment_id: `a${this.#seq}`, symbol: 'X', kind, quantity, ...rest });
  }

  /** Quantity and average price of what is held. */
  held(): [quantity: string, average: string | null][] {
    return [...this.book.holdings()].map(({ position }) => {
      const average = position.averagePrice();
      return [decimalText(position.quantity), average === null ? null : decimalText(average)];
    });
  }
}

const profit = (booking: Booking): string | null =>
  booking.booked && booking.realised !== null ? decimalText(booking.realised.amount) : null;
const problem = (booking: Booking): string | null => (booking.booked ? null : booking.problem);

describe('profit', () => {
  it('of a linear contract is (exit - entry) x quantity x multiplier, long and short', () => {
    const told = new Told();
    const linear = { contract: 'linear', multiplier: '0.01', currency: 'USDT' };
    told.fill('BUY', '100', '64000', linear);
    expect(profit(told.fill('SELL', '150', '65000.5', linear))).toBe('1000.5');
    expect(told.held()).toEqual([['-50', '65000.5']]);
    expect(profit(told.fill('BUY', '50', '64000', linear))).toBe('500.25');
    expect(told.held()).toEqual([]);
  });

  it('of an inverse contract is quantity x multiplier x (1/entry - 1/exit)', () => {
    const told = new Told();
    const inverse = { contract: 'inverse', multiplier: '100', currency: 'BTC' };
    told.fill('BUY', '10', '50000', inverse);
    expect(profit(told.fill('SELL', '4', '62500', inverse))).toBe('0.0016');
    expect(told.held()).toEqual([['6', '50000']]);
    expect(profit(told.fill('SELL', '12', '40000', inverse))).toBe('-0.003');
    expect(profit(told.fill('BUY', '6', '25000', inverse))).toBe('0.009');
  });

  it('is gross: a fee stands beside it, and one in the base asset takes units', () => {
    const told = new Told();
    const spot = { base: 'BTC', currency: 'USDT', fee_currency: 'BTC' };
    const bought = told.fill('BUY', '1', '100', { ...spot, fee: '0.001' });
    expect(bought).toMatchObject({ realised: null, fee: { currency: 'BTC' } });
    expect(told.held()).toEqual([['0.999', '100']]);
    expect(profit(told.fill('SELL', '0.5', '200', { ...spot, fee: '0.001' }))).toBe('50');
    expect(told.held()).toEqual([['0.498', '100']]);
    told.fill('BUY', '1', '300', { base: 'BTC', fee_currency: 'BNB', fee: '0.1' });
    expect(told.held()[0]?.[0]).toBe('1.498');
  });

  it('of legs is apart: a closing fill reaches its own leg only', () => {
    const told = new Told();
    const [long, short] = [{ position_side: 'long' }, { position_side: 'short' }];
    told.fill('BUY', '2', '10', long);
    told.fill('SELL', '3', '12', short);
    expect(told.held()).toEqual([
      ['2', '10'],
      ['-3', '12'],
    ]);
    expect(profit(told.fill('BUY', '1', '11', short))).toBe('1');
    expect(problem(told.fill('SELL', '3', '11', long))).toBe('it closes more of the long position than is held');
    expect(problem(told.fill('BUY', '3', '11', short))).toBe('it closes more of the short position than is held');
    expect(told.held()).toEqual([
      ['2', '10'],
      ['-2', '12'],
    ]);
  });

  it('of units that leave by an adjustment is what they brought less what they cost', () => {
    const told = new Told();
    const option = { contract: 'option', multiplier: '100', currency: 'USD' };
    told.fill('BUY', '1', '2.5', option);
    expect(profit(told.adjust('expiry', '-1'))).toBe('-250');
    told.fill('SELL', '1', '2.5', option);
    expect(profit(told.adjust('expiry', '1'))).toBe('250');
    told.fill('BUY', '10', '1');
    expect(profit(told.adjust('transfer', '-4', { cost: '100' }))).toBeNull();
    expect(profit(told.adjust('conversion', '-6', { cost: '30' }))).toBe('24');
    expect(told.held()).toEqual([]);
  });

  it('is not known where nobody said what the units cost, and only there', () => {
    const told = new Told();
    told.adjust('transfer', '2');
    told.fill('BUY', '2', '10');
    expect(told.held()).toEqual([['4', null]]);
    const sold = told.fill('SELL', '3', '20');
    expect(profit(sold)).toBe('10');
    expect(sold).toMatchObject({ booked: true });
    if (sold.booked) expect(decimalText(sold.unknown)).toBe('2');
    expect(told.held()).toEqual([['1', '10']]);
  });

  it('that the venue sent is compared with ours', () => {
    const told = new Told();
    told.fill('BUY', '2', '10');
    expect(told.fill('SELL', '1', '12', { realised: '2.00' })).toMatchObject({ difference: null });
    expect(told.fill('SELL', '1', '12', { realised: '1.99' })).toMatchObject({
      difference: 'the venue says 1.99 profit, the fills say 2',
    });
  });
});

describe('a position', () => {
  it('keeps its worth in a split, and a quantity that says otherwise is shown', () => {
    const told = new Told();
    told.fill('BUY', '3', '100');
    expect(told.adjust('split', '9', { ratio: '4' })).toMatchObject({ difference: null });
    expect(told.held()).toEqual([['12', '25']]);
    expect(told.adjust('split', '1', { ratio: '0.5' })).toMatchObject({
      difference: 'the ratio adds -6 units, `quantity` says 1',
    });
  });

  it('takes what it is from its trades, not from an opening', () => {
    const told = new Told();
    told.adjust('opening', '10', { cost: '1000', currency: 'USDT' });
    expect(told.held()).toEqual([['10', null]]);
    expect(profit(told.fill('SELL', '4', '110', { contract: 'linear', currency: 'USDT' }))).toBe('40');
    expect(problem(told.fill('SELL', '4', '110', { contract: 'spot', currency: 'USDT' }))).toBe(
      '`contract` is spot, but the position is linear',
    );
    expect(problem(told.fill('SELL', '4', '110', { contract: 'linear', currency: 'USDC' }))).toBe(
      '`currency` is USDC, but the position is in USDT',
    );
    expect(problem(told.fill('SELL', '4', '110', { contract: 'linear', multiplier: 2 }))).toBe(
      '`multiplier` is another one than that of the position',
    );
  });

  it('that disagrees with the fills is shown', () => {
    const told = new Told();
    told.fill('BUY', '3', '100');
    expect(told.tell('position', { symbol: 'X', quantity: 3 })).toMatchObject({ difference: null });
    expect(told.tell('position', { symbol: 'X', quantity: '2.5' })).toMatchObject({
      difference: 'the bot says 2.5, its fills say 3',
    });
    told.fill('SELL', '2', '100', { position_side: 'short' });
    for (const quantity of [2, -2]) {
      const told_ = told.tell('position', { symbol: 'X', quantity, position_side: 'short' });
      expect(told_).toMatchObject({ difference: null });
    }
  });

  it.each([
    ['transfer', '-1', 'nothing is held that it could take away'],
    ['expiry', '1', 'nothing is held that it could take away'],
    ['reward', '0', '`quantity` must not be 0'],
  ])('is not changed by what cannot be: %s of %s', (kind, quantity, why) => {
    expect(problem(new Told().adjust(kind, quantity))).toBe(why);
  });

  it('is not changed by what takes away more than is held, or by an opening on its other side', () => {
    const told = new Told();
    told.fill('BUY', '1', '5');
    expect(problem(told.adjust('transfer', '-2'))).toBe('it takes away more than is held');
    expect(problem(told.adjust('opening', '-1'))).toBe('it is on the other side of what is held');
    expect(problem(told.fill('SELL', '1', '5', { fee: '1', base: 'X', fee_currency: 'X' }))).toBe(
      'the fee is not less than the quantity',
    );
    expect(told.held()).toEqual([['1', '5']]);
  });
});

function outcome(booking: Booking): Outcome {
  if (!booking.booked) return { booked: false, profit: null, differs: false };
  return { booked: true, profit: profit(booking), differs: booking.difference !== null };
}

function positions(book: HoldingBook): Record<string, OraclePosition> {
  const all = [...book.holdings()].map(({ account, symbol, side, position }) => {
    const cost = position.cost();
    const shown = { quantity: decimalText(position.quantity), worth: cost === null ? null : decimalText(cost) };
    return [`${account}/${symbol}/${side}`, shown] as const;
  });
  return Object.fromEntries(all);
}

describe.each<LotMethod>(['fifo', 'average'])('random rows, booked by %s', (method) => {
  it('give what an oracle of whole numbers gives, to the last digit, also from a stored book', () => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    let booked = 0;
    const histories = rounds(60, 5000);
    for (let history = 0; history < histories; history++) {
      const oracle = new LedgerOracle(method);
      let book = new HoldingBook(method);
      for (let seq = 1; seq <= 100; seq++) {
        const { type, data } = someRow(random, seq);
        const got = outcome(book.book(rowOf(type, data, seq)));
        const story = `history ${history}, row ${seq}: ${type} ${JSON.stringify(data)}`;
        expect(got, story).toEqual(oracle.take(type, data));
        if (got.booked) booked += 1;
        if (random.below(10) === 0) book = new HoldingBook(method, JSON.parse(JSON.stringify(book.stored())));
      }
      expect(positions(book), `history ${history}`).toEqual(oracle.positions());
    }
    expect(booked).toBeGreaterThan(histories * 50);
  });
});

describe('the oracle', () => {
  it.each(['0', '1', '-1.5', '0.00000001', '1200'])('prints %s as it was', (text) => {
    expect(print(parse(text))).toBe(text);
  });
});

describe('adjustments', () => {
  it('reach the position of the account, whatever its venue', () => {
    const told = new Told();
    told.fill('BUY', '10', '100', { venue: 'IBKR', currency: 'USD' });
    expect(told.adjust('split', '30', { ratio: '4' })).toMatchObject({ booked: true, difference: null });
    expect(profit(told.fill('SELL', '40', '30', { venue: 'IBKR', currency: 'USD' }))).toBe('200');
    expect(told.held()).toEqual([]);
  });

  it.each(['linear', 'inverse', 'spot'])('need the cost of a %s contract that expires', (contract) => {
    const told = new Told();
    told.fill('BUY', '1', '70', { contract, multiplier: '1000' });
    expect(problem(told.adjust('expiry', '-1'))).toBe('`cost` is missing: what the units brought when they expired');
  });

  it('bring nothing when an option expires', () => {
    const told = new Told();
    told.fill('BUY', '1', '2.5', { contract: 'option', multiplier: '100' });
    expect(profit(told.adjust('expiry', '-1'))).toBe('-250');
  });

  it.each([
    ['0.333333333333333333', 3],
    ['0.142857142857', 7],
    ['0.0666667', 15],
  ])('split by %s into what the row says is left, one unit of %i', (ratio, lots) => {
    const told = new Told();
    for (let i = 0; i < lots; i++) told.fill('SELL', '100', '10');
    const less = String((lots - 1) * 100);
    expect(told.adjust('split', less, { ratio })).toMatchObject({ booked: true, difference: null });
    expect(told.held()).toEqual([['-100', String(10 * lots)]]);
  });

  it('are a difference where the row says what no ratio gives', () => {
    const told = new Told();
    told.fill('BUY', '300', '10');
    expect(told.adjust('split', '-150', { ratio: '0.333333333333333333' })).toMatchObject({ booked: true });
    expect(told.held()[0]?.[0]).toBe('99.9999999999999999');
  });

  it('keep numbers short, however many splits there are, and refuse one that leaves nothing', () => {
    const told = new Told();
    told.fill('BUY', '1', '10');
    for (let i = 0; i < 2000; i++) told.adjust('split', '1', { ratio: '1.0000000000000000000000000000000000001' });
    expect(told.held()).toEqual([['1', '10']]);
    expect(problem(told.adjust('split', '0', { ratio: '1e-30' }))).toBe('too little or too much would be left');
    for (let i = 0; i < 9; i++) told.adjust('split', '1', { ratio: '1e10' });
    expect(told.held()[0]?.[0].length).toBeLessThan(39);
  });

  it('count no profit of a cost in another currency, and say so', () => {
    const told = new Told();
    told.fill('BUY', '1', '0.5', { currency: 'USDT' });
    const dust = told.adjust('dust', '-1', { cost: '0.001', currency: 'BNB' });
    expect([profit(dust), dust]).toMatchObject([
      null,
      { booked: true, difference: '`cost` is in BNB, and the position is in USDT: no profit is counted' },
    ]);
    expect(told.held()).toEqual([]);
  });

  it('realise nothing of units of which no trade has told what they are', () => {
    const told = new Told();
    told.adjust('opening', '1000', { cost: '0.02', currency: 'BTC' });
    expect(told.held()).toEqual([['1000', null]]);
    const gone = told.adjust('expiry', '-1000', { cost: '0.016' });
    expect([profit(gone), gone.booked && decimalText(gone.unknown)]).toEqual([null, '1000']);
  });

  it('say of which units they know no price', () => {
    const told = new Told();
    told.fill('BUY', '1', '2.5', { contract: 'option', multiplier: '100' });
    const gone = told.adjust('exercise', '-1');
    expect([profit(gone), gone.booked && decimalText(gone.unknown)]).toEqual([null, '1']);
  });
});

it('a position that turns keeps the currency that it was told', () => {
  const told = new Told();
  told.fill('BUY', '1', '10', { currency: 'USD' });
  told.fill('SELL', '2', '11');
  expect(told.fill('BUY', '1', '9')).toMatchObject({ booked: true, realised: { currency: 'USD' } });
});

it('a profit that the venue rounds does not differ', () => {
  const told = new Told();
  const inverse = { contract: 'inverse', currency: 'BTC' };
  told.fill('BUY', '100', '64000', inverse);
  expect(told.fill('SELL', '100', '65000', { ...inverse, realised: '0.00002404' })).toMatchObject({ difference: null });
});
