import { describe, expect, it } from 'vitest';
import { metricPoints, symbolsIn } from '../../../../../src/main/host/logs/metric-points.ts';

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

describe('symbolsIn', () => {
  it.each([
    [{ symbol: 'TSLA', type: 'BUY' }, ['TSLA']],
    [{ ticker: 'TSLA' }, ['TSLA']],
    [{ pair: 'BTC/USDT', price: 1 }, ['BTC/USDT']],
    [{ market: 'XETR' }, ['XETR']],
    [{ instrument: 'ESZ6' }, ['ESZ6']],
    [{ symbols: ['TSLA', 'AAPL', 'TSLA', 7, null] }, ['TSLA', 'AAPL']],
    [{ pairs: ['BTC/USDT'] }, ['BTC/USDT']],
    [{ order: { symbol: 'TSLA' }, positions: [{ ticker: 'AAPL' }] }, ['TSLA', 'AAPL']],
    [{ symbol: { ticker: 'TSLA' } }, ['TSLA']],
    [{ name: 'TSLA', reason: 'TSLA rose', symbol: 7, market: '' }, []],
    [{ symbol: 'x'.repeat(101) }, []],
  ])('%j is about %j', (data, symbols) => {
    expect(symbolsIn(data)).toEqual(symbols);
  });

  it('looks at a bounded part of what a bot sends', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(30)}{"symbol":"TSLA"}${'}'.repeat(30)}`);
    expect(symbolsIn(deep)).toEqual([]);
    expect(symbolsIn({ symbols: Array.from({ length: 10_000 }, (_, i) => `S${i}`) }).length).toBeLessThan(500);
  });
});
