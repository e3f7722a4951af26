import { describe, expect, it } from 'vitest';
import { downsample } from '../../../../../src/main/host/logs/downsample.ts';
import type { Bucket } from '../../../../../src/main/host/logs/rollup-tables.ts';

const rows: Bucket[] = Array.from({ length: 1000 }, (_, i) => {
  const value = Math.sin(i / 7) * 100 + (i === 500 ? 1000 : 0);
  return { t: i * 10, min: value, max: value, sum: value, n: 1, last: value };
});

describe('downsample', () => {
  const downsampled = downsample(rows, { from: 0, to: 10_000 }, 50);
  it('keeps spikes, counts and sums', () => {
    expect(downsampled).toHaveLength(50);
    expect(Math.max(...downsampled.map((b) => b.max))).toBe(Math.max(...rows.map((r) => r.max)));
    expect(Math.min(...downsampled.map((b) => b.min))).toBe(Math.min(...rows.map((r) => r.min)));
    expect(downsampled.reduce((n, b) => n + b.n, 0)).toBe(1000);
    expect(downsampled.reduce((s, b) => s + b.sum, 0)).toBeCloseTo(
      rows.reduce((s, r) => s + r.sum, 0),
      6,
    );
    expect(downsampled.at(-1)?.last).toBe(rows.at(-1)?.last);
  });
  it('leaves out empty buckets and stays in order', () => {
    const gappy = downsample([...rows.slice(0, 10), ...rows.slice(990)], { from: 0, to: 10_000 }, 50);
    expect(gappy).toHaveLength(2);
    expect(gappy.map((b) => b.t)).toEqual([0, 9900]);
  });
});
