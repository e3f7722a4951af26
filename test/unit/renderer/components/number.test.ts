import { describe, expect, it } from 'vitest';
import {
  changeWords,
  decimalsOf,
  formatChange,
  formatCount,
  formatNumber,
} from '../../../../src/renderer/components/number.ts';

describe('numbers for people', () => {
  it.each([
    [0, '0'],
    [5, '5'],
    [1_234_567, '1,234,567'],
    [178.42, '178.42'],
    [178.4, '178.40'],
    [67_012.345, '67,012.35'],
    [1.084523, '1.08452'],
    [0.000123456, '0.0001235'],
    [-0.25, '−0.25'],
    [1.5e-9, '1.500e-9'],
    [Number.NaN, '–'],
  ])('%d reads %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it('takes no more places than asked for', () => {
    expect(formatNumber(2.08333, 1)).toBe('2.1');
    expect(decimalsOf(1, 2.5, 3.125)).toBe(3);
    expect(decimalsOf()).toBe(0);
  });

  it('keeps counts short', () => {
    expect([0, 999, 1234, 45_678].map(formatCount)).toEqual(['0', '999', '1.2K', '45.7K']);
  });

  it.each([
    [100, 100, 'no change'],
    [100, 112.5, '+12.50 (+12.5 %)'],
    [200, 199, '−1 (−0.50 %)'],
    [67_000, 67_000.01, '+0.01 (+<0.01 %)'],
    [0, 3, '+3'],
    [0.144, -0.117, '−0.261'],
    [0.001, 500, '+500'],
  ])('from %d to %d: %s', (from, to, text) => {
    expect(formatChange(from, to)).toBe(text);
  });
});

it('tells a change in few words: its share, or else the difference', () => {
  expect(changeWords(100, 101.5)).toBe('+1.50 %');
  expect(changeWords(0, 3)).toBe('+3');
  expect(changeWords(-1, 2)).toBe('+3');
  expect(changeWords(5, 5)).toBe('unchanged');
});
