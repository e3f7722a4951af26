import { expect, it } from 'vitest';
import type { ChartLine } from '../../../../../src/renderer/components/charts/chart-elements.ts';
import { describeChart } from '../../../../../src/renderer/components/charts/describe-chart.ts';
import { append, NO_POINTS } from '../../../../../src/shared/series-points.ts';

const raw = (...samples: readonly (readonly [number, number])[]) =>
  append(
    NO_POINTS,
    samples.map(([t, value]) => ({ t, value })),
  );

it('a chart is told in words', () => {
  const lines: ChartLine[] = [
    { id: 'p', label: 'price', styleIndex: 0, points: raw([0, 10], [1000, 30], [2000, 20]), grain: 'raw' },
    { id: 's', label: 'sma', styleIndex: 1, points: NO_POINTS, grain: 'raw' },
  ];
  const markers = [
    { id: 1, t: 500, side: 'BUY' as const, price: 10, reason: null, confidence: null },
    { id: 2, t: 9000, side: 'SELL' as const, price: 10, reason: null, confidence: null },
  ];
  const base = {
    title: 'AAPL',
    lines,
    markers,
    shades: [],
    dots: [],
    tradedFrom: null,
    domain: { from: 0, to: 2000 },
    zone: 'UTC' as const,
  };
  const words =
    'AAPL. From 1970-01-01 00:00:00 to 1970-01-01 00:00:02 UTC. ' +
    'price: latest 20, up from 10, lowest 10, highest 30, 3 samples. sma: no samples. 1 BUY and 0 SELL signals.';
  expect(describeChart(base)).toBe(words);
  const shades = [
    { side: 'long' as const, from: 0, to: 500 },
    { side: 'short' as const, from: 1000, to: null },
    { side: 'long' as const, from: 3000, to: 4000 },
  ];
  const dots = [0, 500, 1000, 3000].map((t) => ({ id: String(t), t, side: 'BUY' as const, price: 10 }));
  expect(describeChart({ ...base, shades, dots })).toBe(
    `${words} 3 fills. 2 positions held, short since 1970-01-01 00:00:01.`,
  );
  expect(describeChart({ ...base, tradedFrom: 1000 })).toBe(
    `${words} Trades are shown from 1970-01-01 00:00:01: the ledger has older ones.`,
  );
});
