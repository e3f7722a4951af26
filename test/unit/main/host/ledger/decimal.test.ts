import { describe, expect, it } from 'vitest';
import { decimalText, MOST_DIGITS, readDecimal, storedDecimal } from '../../../../../src/main/host/ledger/decimal.ts';

const shown = (text: string): string | null => {
  const value = readDecimal(text);
  return value === null ? null : decimalText(value);
};

describe('a number that a bot sends', () => {
  it.each([
    ['1', '1'],
    ['-0.5', '-0.5'],
    ['+2', '2'],
    ['.5', '0.5'],
    ['3.', '3'],
    ['0.1000', '0.1'],
    ['100.00', '100'],
    ['1e3', '1000'],
    ['1.5E-7', '0.00000015'],
    ['0', '0'],
    ['-0.00', '0'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['9'.repeat(MOST_DIGITS), '9'.repeat(MOST_DIGITS)],
    [`${'9'.repeat(MOST_DIGITS)}.00`, '9'.repeat(MOST_DIGITS)],
  ])('is read by its digits: %s', (text, digits) => {
    expect(shown(text)).toBe(digits);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '1,5',
    'NaN',
    'Infinity',
    '0x10',
    '1e',
    '--1',
    '.',
    '1_000',
    '9'.repeat(MOST_DIGITS + 1),
    '1e38',
    '1e-38',
    '1e9999',
    '1'.repeat(200),
  ])('is none, or more than the ledger counts: "%s"', (text) => {
    expect(shown(text)).toBeNull();
  });
});

describe('a quotient', () => {
  const quotient = (a: string, b: string): string => decimalText(storedDecimal(a).div(storedDecimal(b)));

  it.each([
    ['1', '3', '0.333333333333333333'],
    ['2', '3', '0.666666666666666667'],
    ['-2', '3', '-0.666666666666666667'],
    ['0.0000000000000000005', '1', '0'],
    ['0.0000000000000000015', '1', '0.000000000000000002'],
    ['0.0000000000000000025', '1', '0.000000000000000002'],
    ['-0.0000000000000000025', '1', '-0.000000000000000002'],
  ])('has 18 decimals, and a half goes to the even one: %s / %s', (a, b, expected) => {
    expect(quotient(a, b)).toBe(expected);
  });

  it('leaves sums and products exact', () => {
    const a = storedDecimal('0.0000000000000000000000000000001');
    expect(decimalText(a.times(a).plus(storedDecimal('1')))).toBe(`1.${'0'.repeat(61)}1`);
  });
});
