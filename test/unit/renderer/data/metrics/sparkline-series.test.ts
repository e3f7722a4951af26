import { expect, it } from 'vitest';
import { sparklineSeries } from '../../../../../src/renderer/data/metrics/sparkline-series.ts';

it('shows the price of one symbol, and what a bot about several symbols or about none is worth', () => {
  const last_at = '2026-11-21T12:00:00.000Z';
  const series = (type: string, field: string, symbol: string | null = null) =>
    ({ type, field, symbol, count: 9, last: 1, last_at }) as const;
  const worth = series('equity', 'value');
  const shown = (...all: ReturnType<typeof series>[]) => {
    const found = sparklineSeries(all, null);
    return [found?.type, found?.symbol];
  };
  const held = [series('position', 'price', 'AAPL'), series('position', 'value', 'AAPL')];
  expect(shown(...held, series('position', 'price', 'MSFT'), worth)).toEqual(['equity', null]);
  expect(shown(series('price', 'value', 'AAPL'), series('price', 'value', 'MSFT'), worth)).toEqual(['equity', null]);
  expect(shown(series('price', 'value', 'AAPL'), series('sma', 'short_sma', 'AAPL'), ...held, worth)).toEqual([
    'price',
    'AAPL',
  ]);
  expect(shown(...held)).toEqual(['position', 'AAPL']);
});
