import { describe, expect, it } from 'vitest';
import type { MetricEvent, MetricSeriesInfo } from '../../../../../src/contract/telemetry.ts';
import { chartGroups, keepGroups, lineLabel, seriesName } from '../../../../../src/renderer/data/metrics/charts.ts';
import { numbersOf, withEvents } from '../../../../../src/renderer/data/metrics/series.ts';
import { mergeSignals, toSignal } from '../../../../../src/renderer/data/metrics/signals.ts';
import { domainOf } from '../../../../../src/renderer/data/metrics/window.ts';
import { toCsv } from '../../../../../src/renderer/pages/bot/metrics/csv.ts';
import { motionOf, rulesIn, seenIn } from '../../../../../src/renderer/pages/bot/metrics/model.ts';
import {
  readRange,
  withoutStretch,
  withPreset,
  withStretch,
} from '../../../../../src/renderer/pages/bot/metrics/range.ts';
import { append, NO_POINTS } from '../../../../../src/shared/series-points.ts';

const info = (type: string, field: string, last: number, symbol: string | null = 'AAPL'): MetricSeriesInfo => ({
  type,
  field,
  symbol,
  count: 3,
  last,
  last_at: '2026-11-21T10:00:00.000Z',
});

const event = (seq: number, type: string, data: MetricEvent['data'], time: string | null = null): MetricEvent => ({
  seq,
  ts: `2026-11-21T10:00:${String(seq).padStart(2, '0')}.000Z`,
  time,
  type,
  data,
  run_id: 'run_1',
});

const samples = (n: number, value: (i: number) => number) =>
  append(
    NO_POINTS,
    Array.from({ length: n }, (_, i) => ({ t: i * 1000, value: value(i) })),
  );

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

describe('time that is looked at', () => {
  const now = Date.UTC(2026, 10, 21, 12);
  const hour = { kind: 'last', span: 3_600_000 } as const;

  it('begins with the first sample of a bot that has just begun', () => {
    const began = now - 60_000;
    expect(domainOf(hour, { first: began, last: now - 1000 }, now)).toEqual({ from: began, to: now });
    expect(domainOf(hour, { first: now - 1000, last: now - 1000 }, now)).toEqual({
      from: now - 1000,
      to: now + 29_000,
    });
  });

  it('moves on with the clock, or is all there is, or stays', () => {
    expect(domainOf(hour, { first: 0, last: now - 5000 }, now)).toEqual({ from: now - 3_600_000, to: now });
    expect(domainOf({ kind: 'last', span: null }, { first: 0, last: 90_000 }, now)).toEqual({ from: 0, to: 90_000 });
    expect(domainOf({ kind: 'fixed', from: 1, to: 2 }, null, now)).toEqual({ from: 1, to: 2 });
  });

  it('stands in the address, and comes back from there', () => {
    const start = new URLSearchParams('range=6h&x=1');
    expect(readRange(start)).toMatchObject({ preset: { id: '6h' }, window: { kind: 'last', span: 21_600_000 } });
    const zoomed = withStretch(start, { from: now, to: now + 5000.4 });
    expect(readRange(zoomed)).toEqual({ preset: null, window: { kind: 'fixed', from: now, to: now + 5000 } });
    expect(withoutStretch(zoomed).toString()).toBe('range=6h&x=1');
    expect(withPreset(zoomed, '1h').toString()).toBe('x=1');
    const tiny = readRange(withStretch(start, { from: now, to: now + 1 })).window;
    expect(tiny.kind === 'fixed' && tiny.to - tiny.from).toBeGreaterThanOrEqual(99);
  });

  it.each(['range=nonsense', 'from=x&to=y', 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'])(
    'is the usual where the address makes no sense: %s',
    (text) => {
      expect(readRange(new URLSearchParams(text)).preset?.id).toBe('1h');
    },
  );
});

describe('what a chart is worth', () => {
  it('is put away when nothing moved though there was time for it', () => {
    expect(motionOf([{ points: samples(20, () => 5) }])).toBe('still');
    expect(motionOf([{ points: samples(3, () => 5) }])).toBe('brief');
    expect(motionOf([{ points: samples(20, () => 5) }, { points: samples(20, (i) => i) }])).toBe('moving');
    expect(motionOf([{ points: NO_POINTS }])).toBe('brief');
  });

  it('knows what has been seen, and marks runs unless there are too many', () => {
    expect(seenIn([samples(3, () => 1), NO_POINTS])).toEqual({ first: 0, last: 2000 });
    expect(seenIn([])).toBeNull();
    const runs = Array.from({ length: 50 }, (_, t) => ({ t, run_id: '', version: '', trigger: 'boot' as const }));
    expect(rulesIn(runs, 10, 12)).toEqual([10, 11, 12]);
    expect(rulesIn(runs, 0, 50)).toEqual([]);
  });
});

describe('CSV', () => {
  it('has a row for each time and a column for each line, quoted where needed, never a formula', () => {
    const lines = [
      { label: 'a,"b"', points: samples(2, (i) => i + 0.5) },
      { label: '=1+1', points: append(NO_POINTS, [{ t: 1000, value: 7 }]) },
    ];
    expect(toCsv(lines)).toBe(
      'time,"a,""b""",\'=1+1\r\n1970-01-01T00:00:00.000Z,0.5,\r\n1970-01-01T00:00:01.000Z,1.5,7\r\n',
    );
  });

  it('tells how far samples go where a point stands for several', () => {
    const points = { t: [0], min: [1], max: [9], avg: [4], last: [2], count: [12] };
    expect(toCsv([{ label: 'price', points }])).toBe(
      'time,price mean,price min,price max,price samples\r\n1970-01-01T00:00:00.000Z,4,1,9,12\r\n',
    );
  });
});
