import { expect, it } from 'vitest';
import { didYouMean } from '../../../src/shared/did-you-mean.ts';

const SETTINGS = ['symbol', 'short_period', 'long_period', 'update_interval_ms'];

it.each([
  ['shortperiod', 'short_period'],
  ['SHORT-PERIOD', 'short_period'],
  ['shrot_period', 'short_period'],
  ['long_perid', 'long_period'],
  ['symbl', 'symbol'],
  ['update_interval', 'update_interval_ms'],
  ['leverage', null],
  ['x', null],
  ['', null],
  ['y'.repeat(100_000), null],
])('%s -> %s', (word, expected) => {
  expect(didYouMean(word, SETTINGS)).toBe(expected);
});
