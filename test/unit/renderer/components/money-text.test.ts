import { expect, it } from 'vitest';
import { digitsText, moneyText } from '../../../../src/renderer/components/money-text.ts';

it('writes money with two places, thousands apart and a sign where asked', () => {
  expect(['12480.5', '-0.5', '0', '1234567.899'].map((one) => moneyText(one))).toEqual([
    ...['12,480.50', '−0.50', '0.00', '1,234,567.90'],
  ]);
  expect(['128.425', '-41.9', '0'].map((one) => moneyText(one, true))).toEqual(['+128.42', '−41.90', '0.00']);
});

it('shows a small amount by its figures, never as nothing', () => {
  expect(moneyText('0.00001234', true)).toBe('+0.00001234');
  expect(moneyText('-0.000000123456', true)).toBe('−0.0000001235');
  // No digit of a big amount goes through a float.
  expect(moneyText('98765432109876543210.129')).toBe('98,765,432,109,876,543,210.13');
});

it('writes prices and quantities as exact as they came', () => {
  expect(['2412.337', '-4', '0.000000012345', '10000'].map(digitsText)).toEqual([
    ...['2,412.337', '−4', '0.000000012345', '10,000'],
  ]);
});
