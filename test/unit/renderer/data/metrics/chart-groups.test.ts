import { describe, expect, it } from 'vitest';
import type { MetricSeriesInfo } from '../../../../../src/contract/telemetry.ts';
import {
  chartGroups,
  keepGroups,
  lineLabel,
  seriesName,
} from '../../../../../src/renderer/data/metrics/chart-groups.ts';

const info = (type: string, field: string, last: number, symbol: string | null = 'AAPL'): MetricSeriesInfo => ({
  type,
  field,
  symbol,
  count: 3,
  last,
  last_at: '2026-11-21T10:00:00.000Z',
});

describe('charts of a bot', () => {
  const series = [
    info('price', 'change_pct', 0.4),
    info('price', 'value', 178),
    info('sma', 'long_period', 20),
    info('sma', 'long_sma', 176),
    info('sma', 'short_sma', 179),
    info('signal', 'price', 178),
    info('signal', 'confidence', 0.7),
    info('account', 'equity', 11_000, null),
    info('account', 'cash', 9000, null),
  ];

  it('draw over the price what is of its symbol and size, and the rest apart by size', () => {
    const groups = chartGroups(series);
    expect(groups.map(({ title, isPrice }) => [title, isPrice])).toEqual([
      ['AAPL', true],
      ['AAPL price change_pct', false],
      ['AAPL sma long_period', false],
      ['account', false],
    ]);
    const [price] = groups;
    expect(price?.series.map(({ field }) => field)).toEqual(['value', 'long_sma', 'short_sma']);
    expect(price?.series.map((one) => (price === undefined ? '' : lineLabel(one, price)))).toEqual([
      'price',
      'long_sma',
      'short_sma',
    ]);
  });

  it('take the price that signals name where the bot emits none', () => {
    expect(chartGroups([info('signal', 'price', 5), info('signal', 'confidence', 1)])).toMatchObject([
      { title: 'AAPL', isPrice: true, series: [{ type: 'signal', field: 'price' }] },
    ]);
  });

  it('hold no more lines than can be told apart', () => {
    const many = Array.from({ length: 9 }, (_, i) => info('load', `core_${i}`, 50 + i, null));
    expect(chartGroups(many).map((group) => group.series.length)).toEqual([6, 3]);
  });

  it('stay where they are while values move, and are made anew when a series joins', () => {
    const before = chartGroups(series);
    expect(
      keepGroups(
        before,
        series.map((one) => ({ ...one, last: 1 })),
      ),
    ).toBe(before);
    expect(keepGroups(before, [...series, info('pnl', 'value', 3)])).not.toBe(before);
    const nothing: ReturnType<typeof chartGroups> = [];
    expect(keepGroups(nothing, [])).toBe(nothing);
  });

  it('name a series by its field, with the type where the field does not say it', () => {
    expect(seriesName({ type: 'price', field: 'value' })).toBe('price');
    expect(seriesName({ type: 'sma', field: 'short_sma' })).toBe('short_sma');
    expect(seriesName({ type: 'account', field: 'cash' })).toBe('account cash');
  });
});
