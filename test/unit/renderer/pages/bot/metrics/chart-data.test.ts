import { describe, expect, it } from 'vitest';
import { motionOf, ruleOf, rulesIn, seenIn } from '../../../../../../src/renderer/pages/bot/metrics/chart-data.ts';
import { append, NO_POINTS } from '../../../../../../src/shared/series-points.ts';

const samples = (n: number, value: (i: number) => number) =>
  append(
    NO_POINTS,
    Array.from({ length: n }, (_, i) => ({ t: i * 1000, value: value(i) })),
  );

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

it('begins a rule about a chart with its first series', () => {
  const rest = { symbol: null, count: 1, last: null, last_at: null };
  const series = [
    { ...rest, type: 'equity', field: 'total' },
    { ...rest, type: 'price', field: 'value' },
  ];
  expect(ruleOf({ bot_id: 'bot_1' }, { series })).toEqual({
    ...{ on: 'metric', bot: 'bot_1', metric: 'equity', field: 'total' },
  });
  expect(ruleOf({ bot_id: 'bot_1' }, { series: [] })).toEqual({ on: 'metric', bot: 'bot_1' });
});
