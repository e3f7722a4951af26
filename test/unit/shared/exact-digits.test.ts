import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareDigits,
  inOneUnit,
  negateDigits,
  roundDigits,
  signOfDigits,
  sumDigits,
} from '../../../src/shared/exact-digits.ts';

describe('exact arithmetic on digits', () => {
  it('adds what a float cannot', () => {
    expect(sumDigits(['0.1', '0.2'])).toBe('0.3');
    expect(sumDigits(['12345678901234567890.000000000000000001', '-0.000000000000000001'])).toBe(
      '12345678901234567890',
    );
    expect(sumDigits(['-1.5', '1.5'])).toBe('0');
    expect(sumDigits([])).toBe('0');
  });

  it('adds many numbers as whole multiples of one fraction', () => {
    const { units, write } = inOneUnit(['0.1', '-12', '0.0000000000000000002']);
    const sum = units.reduce((all, one) => all + one, 0n);
    expect([write(sum), ...units.map(write)]).toEqual([
      ...['-11.8999999999999999998', '0.1', '-12', '0.0000000000000000002'],
    ]);
  });

  it('gives each number its sign, and no zero one', () => {
    expect(['-0.001', '0', '0.00', '7'].map(signOfDigits)).toEqual([-1, 0, 0, 1]);
    expect(['-0.5', '0', '3'].map(negateDigits)).toEqual(['0.5', '0', '-3']);
    expect(compareDigits('10', '9.999')).toBe(1);
    expect(compareDigits('-10', '-9.999')).toBe(-1);
    expect(compareDigits('1.50', '1.5')).toBe(0);
  });

  it('rounds half to even, and no small loss to minus zero', () => {
    expect(['0.125', '0.135', '-0.125', '2.005', '-0.004', '1.2'].map((one) => roundDigits(one, 2))).toEqual([
      ...['0.12', '0.14', '-0.12', '2', '0', '1.2'],
    ]);
    expect(roundDigits('999.999', 2)).toBe('1000');
  });

  it('agrees with whole numbers of any size', () => {
    const cents = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    const digits = (value: bigint): string => {
      const size = (value < 0n ? -value : value).toString().padStart(3, '0');
      return `${value < 0n ? '-' : ''}${size.slice(0, -2)}.${size.slice(-2)}`;
    };
    fc.assert(
      fc.property(cents, cents, (a, b) => {
        expect(sumDigits([digits(a), digits(b)])).toBe(sumDigits([digits(a + b)]));
        expect(compareDigits(digits(a), digits(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });
});
