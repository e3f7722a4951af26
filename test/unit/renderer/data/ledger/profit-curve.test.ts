import { expect, it } from 'vitest';
import { calendarWeeks, profitCurve, worstDrawdown } from '../../../../../src/renderer/data/ledger/profit-curve.ts';

it('adds days up to a curve, with the distance to its highest', () => {
  const curve = profitCurve([
    { day: '2026-01-03', net: '-0.3' },
    { day: '2026-01-01', net: '0.1' },
    { day: '2026-01-02', net: '0.2' },
    { day: '2026-01-04', net: '0.4' },
  ]);
  expect(curve.map(({ total, drawdown }) => [total, drawdown])).toEqual([
    ['0.1', '0'],
    ['0.3', '0'],
    ['0', '-0.3'],
    ['0.4', '0'],
  ]);
  expect(worstDrawdown(curve)).toBe('-0.3');
  expect(worstDrawdown([])).toBe('0');
});

it('counts a loss from the first day on as a drawdown', () => {
  expect(worstDrawdown(profitCurve([{ day: '2026-01-01', net: '-2' }]))).toBe('-2');
});

it('lays days out in weeks from Monday on', () => {
  // 2026-03-04 is a Wednesday.
  expect(calendarWeeks('2026-02-28', '2026-03-04')).toEqual([
    [null, null, null, null, null, '2026-02-28', '2026-03-01'],
    ['2026-03-02', '2026-03-03', '2026-03-04', null, null, null, null],
  ]);
});
