import { describe, expect, it } from 'vitest';
import { isOlder, latestValues, newestAt } from '../../../../../src/renderer/pages/bot/latest-values.ts';

describe('latest values', () => {
  const event = (type: string, data: Record<string, unknown>, ts = '2026-01-01T00:00:00.000Z') => ({
    type,
    count: 1,
    latest: { seq: 1, ts, time: null, type, data, run_id: null },
  });
  const series = (type: string, field: string, last: number, symbol: string | null = null) => ({
    type,
    field,
    symbol,
    count: 1,
    last,
    last_at: '2026-01-01T00:02:00.000Z',
  });
  it('puts signals first, then values, and does not say a signal twice', () => {
    const values = latestValues({
      bot_id: 'b',
      types: [
        event('price', { value: 1 }),
        event('signal', { type: 'BUY', symbol: 'AAPL', price: 295.67, confidence: 0.48, reason: 'crossed' }),
      ],
      series: [
        series('sma', 'long_sma', 294.3, 'AAPL'),
        series('signal', 'confidence', 0.48, 'AAPL'),
        series('price', 'value', 1, 'AAPL'),
      ],
    });
    expect(values.map(({ name, text, note, side }) => [name, text, note, side])).toEqual([
      ['Last signal', 'BUY AAPL at 295.67', 'crossed · confidence 48 %', 'buy'],
      ['AAPL price', '1', null, null],
      ['AAPL long_sma', '294.30', null, null],
    ]);
    expect(newestAt(values)).toBe('2026-01-01T00:02:00.000Z');
    expect(values.map((one) => isOlder(one, '2026-01-01T00:02:00.000Z'))).toEqual([true, false, false]);
  });
  it('says of orders and fills which way they went, with the digits of their price', () => {
    const values = latestValues({
      bot_id: 'b',
      types: [
        event('order', { side: 'BUY', symbol: 'AAPL', type: 'market', status: 'filled', price: '101.10' }),
        event('fill', { side: 'SELL', symbol: 'AAPL', quantity: '2', price: '98.0300' }),
      ],
      series: [],
    });
    expect(values.map(({ name, text, side }) => [name, text, side])).toEqual([
      ['Last order', 'BUY AAPL at 101.10', 'buy'],
      ['Last fill', 'SELL AAPL at 98.0300', 'sell'],
    ]);
  });
  it('takes what a bot says as it is', () => {
    expect(latestValues({ bot_id: 'b', types: [event('signal', { type: 5 })], series: [] })).toEqual([]);
    expect(newestAt([])).toBeNull();
  });
});
