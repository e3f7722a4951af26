import { expect, it } from 'vitest';
import type { MetricEvent } from '../../../../../src/contract/telemetry.ts';
import { newestTrade } from '../../../../../src/renderer/data/metrics/newest-trade.ts';

const latest = (type: string, at: string, data: MetricEvent['data']) => ({
  type,
  count: 1,
  latest: { seq: 1, ts: at, time: null, type, data, run_id: null },
});
const SIGNAL = latest('signal', '2026-01-01T00:00:01.000Z', { type: 'BUY', symbol: 'AAPL', price: 296.55 });

it('finds the newest signal or fill, whose price keeps its digits', () => {
  const fill = latest('fill', '2026-01-01T00:00:01.000Z', { side: 'BUY', symbol: 'AAPL', price: '296.550' });
  expect(newestTrade([SIGNAL, fill])).toEqual({
    what: 'fill',
    side: 'BUY',
    symbol: 'AAPL',
    price: '296.550',
    at: Date.parse('2026-01-01T00:00:01.000Z'),
  });
  expect(newestTrade([latest('price', '2026-01-02T00:00:00.000Z', { value: 1 }), SIGNAL])?.what).toBe('signal');
});

it('says nothing where a bot says nothing that can be read', () => {
  expect(newestTrade([])).toBeNull();
  expect(newestTrade([latest('fill', '2026-01-01T00:00:00.000Z', { side: 'buy', price: '1' })])).toBeNull();
  const odd = latest('fill', '2026-01-01T00:00:00.000Z', { side: 'SELL', symbol: 7, price: '<b>1</b>' });
  expect(newestTrade([odd])).toMatchObject({ symbol: null, price: null });
});
