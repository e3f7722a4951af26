import { describe, expect, it } from 'vitest';
import { metricPoints } from '../../../../../src/main/host/logs/metric-points.ts';

describe('metricPoints', () => {
  it('takes numeric top-level fields and the symbol', () => {
    expect(
      metricPoints({ symbol: 'AAPL', value: 1.5, change_pct: -2, note: 'x', nested: { n: 1 }, flag: true }),
    ).toEqual({
      symbol: 'AAPL',
      values: [
        ['value', 1.5],
        ['change_pct', -2],
      ],
    });
  });
  it('leaves out what is not finite and symbols that are no names', () => {
    const data: Record<string, unknown> = JSON.parse('{"symbol":"","big":1e999,"value":1}');
    expect(metricPoints(data)).toEqual({ symbol: null, values: [['value', 1]] });
    expect(metricPoints({ symbol: 7 })).toEqual({ symbol: null, values: [['symbol', 7]] });
    expect(metricPoints({ symbol: 'x'.repeat(201) }).symbol).toBeNull();
  });
  it('stops at 64 fields', () => {
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, i]));
    expect(metricPoints(data).values).toHaveLength(64);
  });
});
