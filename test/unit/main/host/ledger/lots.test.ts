import { describe, expect, it } from 'vitest';
import { decimalText, storedDecimal } from '../../../../../src/main/host/ledger/decimal.ts';
import { Lots } from '../../../../../src/main/host/ledger/lots.ts';

const d = storedDecimal;
const take = (lots: Lots, quantity: string): string => decimalText(lots.take(d(quantity)).worth);

describe('lots', () => {
  it('leave in the order in which they came', () => {
    const lots = new Lots('fifo');
    lots.addEach(d('1'), d('100'), 1, 1000);
    lots.addEach(d('2'), d('110'), 2, 2000);
    expect(take(lots, '0.5')).toBe('50');
    expect(lots.since).toBe(1000);
    expect(take(lots, '1')).toBe('105');
    expect(lots.since).toBe(2000);
    expect(decimalText(lots.quantity)).toBe('1.5');
  });

  it('are worth their average', () => {
    const lots = new Lots('average');
    lots.addEach(d('1'), d('100'), 1, 1000);
    lots.addEach(d('2'), d('110'), 2, 2000);
    expect(take(lots, '1')).toBe('106.666666666666666667');
    expect(take(lots, '1')).toBe('106.666666666666666666');
    expect(take(lots, '1')).toBe('106.666666666666666667');
    expect(decimalText(lots.worth().worth)).toBe('0');
  });

  it('give the last part what rounding left of their worth', () => {
    const lots = new Lots('fifo');
    lots.addAll(d('3'), d('1'), 1, 1000);
    expect([take(lots, '1'), take(lots, '1'), take(lots, '1')]).toEqual([
      '0.333333333333333333',
      '0.333333333333333334',
      '0.333333333333333333',
    ]);
  });

  it('keep their worth in a split', () => {
    const lots = new Lots('fifo');
    lots.addEach(d('3'), d('100'), 1, 1000);
    lots.split(d('4'), null);
    expect(decimalText(lots.quantity)).toBe('12');
    expect(take(lots, '4')).toBe('100');
  });

  it('say of how many units nobody knows the cost', () => {
    const lots = new Lots('fifo');
    lots.addAll(d('2'), null, 1, 1000);
    lots.addEach(d('2'), d('5'), 2, 2000);
    const { worth, unknown } = lots.take(d('3'));
    expect([decimalText(worth), decimalText(unknown)]).toEqual(['5', '2']);
  });

  it('are the same after they were stored', () => {
    const lots = new Lots('fifo');
    lots.addEach(d('1'), d('100'), 1, 1000);
    lots.addAll(d('3'), d('1'), 2, 2000);
    lots.addAll(d('1'), null, 3, 3000);
    lots.take(d('1.5'));
    const again = Lots.restore('fifo', JSON.parse(JSON.stringify(lots.stored())));
    expect(again.stored()).toEqual(lots.stored());
    expect(decimalText(again.quantity)).toBe('3.5');
    expect(take(again, '1')).toBe(take(lots, '1'));
  });

  it('that have left take no memory', () => {
    const lots = new Lots('fifo');
    for (let at = 0; at < 1000; at++) {
      lots.addEach(d('1'), d('2'), at, at);
      expect(take(lots, '1')).toBe('2');
    }
    expect(lots.stored()).toEqual([]);
    expect(lots.since).toBeNull();
  });
});
