import { describe, expect, it } from 'vitest';
import type { MetricEvent } from '../../../../../src/contract/telemetry.ts';
import { numbersOf, withEvents } from '../../../../../src/renderer/data/metrics/series.ts';
import { mergeSignals, toSignal } from '../../../../../src/renderer/data/metrics/signals.ts';

const event = (seq: number, type: string, data: MetricEvent['data'], time: string | null = null): MetricEvent => ({
  seq,
  ts: `2026-11-21T10:00:${String(seq).padStart(2, '0')}.000Z`,
  time,
  type,
  data,
  run_id: 'run_1',
});

describe('events', () => {
  it('give their numbers as the host finds them', () => {
    const one = event(1, 'price', { symbol: 'AAPL', value: 3, text: 'no', nested: { value: 1 }, bad: null });
    expect(numbersOf(one)).toEqual([{ name: { type: 'price', field: 'value', symbol: 'AAPL' }, value: 3 }]);
  });

  it('bring an overview up to date, new types and series as well', () => {
    const overview = { bot_id: 'bot_1', types: [], series: [] };
    const next = withEvents(overview, [event(1, 'price', { value: 3 }), event(2, 'price', { value: 4 })]);
    expect(next.types).toMatchObject([{ type: 'price', count: 2, latest: { seq: 2 } }]);
    expect(next.series).toMatchObject([{ field: 'value', symbol: null, count: 2, last: 4 }]);
  });

  it('are signals when they say buy or sell', () => {
    const data = { type: 'BUY', symbol: 'AAPL', price: 178.4, confidence: 0.7, reason: 'crossed' };
    expect(toSignal(event(5, 'signal', data, '2026-01-01T00:00:00.000Z'))).toEqual({
      id: 5,
      t: Date.UTC(2026, 0, 1),
      side: 'BUY',
      symbol: 'AAPL',
      price: 178.4,
      confidence: 0.7,
      reason: 'crossed',
    });
    expect(toSignal(event(6, 'signal', { side: 'sell' }))).toMatchObject({ side: 'SELL', price: null, symbol: null });
    expect(toSignal(event(7, 'signal', { type: 'HOLD' }))).toBeNull();
    expect(toSignal(event(8, 'price', { type: 'BUY' }))).toBeNull();
  });

  it('are kept once each, by time, the newest of them', () => {
    const [a, b, c] = [3, 1, 2].map((seq) => toSignal(event(seq, 'signal', { type: 'BUY' })));
    const all = [a, b, c].flatMap((one) => one ?? []);
    expect(mergeSignals(all, all, 2).map(({ id }) => id)).toEqual([2, 3]);
    expect(mergeSignals(all, [], 2)).toBe(all);
  });
});
