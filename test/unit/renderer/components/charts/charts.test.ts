import { describe, expect, it } from 'vitest';
import { toColumns } from '../../../../../src/renderer/components/charts/columns.ts';
import { CursorLink } from '../../../../../src/renderer/components/charts/cursor-link.ts';
import { describeChart } from '../../../../../src/renderer/components/charts/summary.ts';
import { instantText, tickTexts } from '../../../../../src/renderer/components/charts/ticks.ts';
import { padded } from '../../../../../src/renderer/components/charts/value-range.ts';
import { sparklinePath } from '../../../../../src/renderer/components/sparkline-path.ts';
import { append, NO_POINTS } from '../../../../../src/shared/series-points.ts';

const raw = (...samples: readonly (readonly [number, number])[]) =>
  append(
    NO_POINTS,
    samples.map(([t, value]) => ({ t, value })),
  );

describe('columns of a chart', () => {
  it('lay lines that were measured at different times on one column of times', () => {
    const { t, lines } = toColumns([raw([10, 1], [30, 3]), raw([20, 7])], []);
    expect(t).toEqual([10, 20, 30]);
    expect(lines[0]?.avg).toEqual([1, undefined, 3]);
    expect(lines[1]?.max).toEqual([undefined, 7, undefined]);
  });

  it('cut every line where the bot was away', () => {
    const { t, lines } = toColumns([raw([10, 1], [30, 3])], [20]);
    expect(t).toEqual([10, 20, 30]);
    expect(lines[0]?.avg).toEqual([1, null, 3]);
  });

  it('keep a sample that came at the very start of a run', () => {
    expect(toColumns([raw([10, 1], [20, 3])], [20]).lines[0]?.avg).toEqual([1, 3]);
  });
});

describe('axes', () => {
  const at = Date.UTC(2026, 10, 21, 23, 59, 30);

  it('say the day where it changes, and nothing finer than a step', () => {
    expect(tickTexts([at, at + 15_000, at + 30_000], 15_000, 'UTC')).toEqual([
      '23:59:30\n11-21',
      '23:59:45',
      '00:00:00\n11-22',
    ]);
    expect(tickTexts([at], 3_600_000, 'UTC')).toEqual(['23:59\n11-21']);
    expect(tickTexts([at], 86_400_000, 'UTC')).toEqual(['11-21']);
    expect(instantText(at, 'UTC')).toBe('2026-11-21 23:59:30');
  });

  it('leave room around values, none below zero for what is never negative', () => {
    expect(padded(100, 200)).toEqual([88, 212]);
    expect(padded(1, 100)).toEqual([0, 111.88]);
    expect(padded(50, 50)).toEqual([49.5, 50.5]);
    expect(padded(0, 0)).toEqual([-1, 1]);
    expect(padded(null, null)).toEqual([0, 1]);
  });
});

it('a chart is told in words', () => {
  const lines = [
    { id: 'p', label: 'price', styleIndex: 0, points: raw([0, 10], [1000, 30], [2000, 20]) },
    { id: 's', label: 'sma', styleIndex: 1, points: NO_POINTS },
  ];
  const markers = [
    { id: 1, t: 500, side: 'BUY' as const, price: 10, reason: null, confidence: null },
    { id: 2, t: 9000, side: 'SELL' as const, price: 10, reason: null, confidence: null },
  ];
  expect(describeChart('AAPL', lines, markers, { from: 0, to: 2000 }, 'UTC')).toBe(
    'AAPL. From 1970-01-01 00:00:00 to 1970-01-01 00:00:02 UTC. ' +
      'price: latest 20, up from 10, lowest 10, highest 30, 3 samples. sma: no samples. 1 BUY and 0 SELL signals.',
  );
});

it('a small line spans its box, and runs in the middle when nothing moves', () => {
  expect(sparklinePath([0, 10, 5], 80, 20)).toBe('M0 20L40 0L80 10');
  expect(sparklinePath([3, 3], 80, 20)).toBe('M0 10L80 10');
  expect(sparklinePath([3], 80, 20)).toBe('M0 10');
});

it('who follows the crosshair hears of each move once', () => {
  const link = new CursorLink();
  let heard = 0;
  const stop = link.follow(() => {
    heard += 1;
  });
  link.point(5);
  link.point(5);
  link.point(null);
  stop();
  link.point(7);
  expect(heard).toBe(2);
  expect(link.at).toBe(7);
});
