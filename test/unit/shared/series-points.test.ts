import { describe, expect, it } from 'vitest';
import {
  append,
  at,
  downsample,
  dropBefore,
  extent,
  firstAt,
  framed,
  isDownsampled,
  NO_POINTS,
  nearest,
  type Points,
} from '../../../src/shared/series-points.ts';

/** One sample a point, `[t, value]` each. */
const raw = (...samples: readonly (readonly [number, number])[]): Points =>
  append(
    NO_POINTS,
    samples.map(([t, value]) => ({ t, value })),
  );

describe('points of a series', () => {
  it('grow at the end only: what is not newer is known already', () => {
    const points = append(raw([10, 1], [20, 2]), [
      { t: 20, value: 99 },
      { t: 15, value: 99 },
      { t: 30, value: 3 },
      { t: 30, value: 99 },
    ]);
    expect(points.t).toEqual([10, 20, 30]);
    expect(points.last).toEqual([1, 2, 3]);
    expect(points.count).toEqual([1, 1, 1]);
  });

  it('find the first at or after an instant', () => {
    expect([5, 10, 11, 20, 21].map((t) => firstAt([10, 20], t))).toEqual([0, 0, 1, 1, 2]);
    expect(firstAt([], 3)).toBe(0);
  });

  it('are dropped from the front, but for the one the line comes in from', () => {
    const points = raw([10, 1], [20, 2], [30, 3], [40, 4]);
    expect(dropBefore(points, 25).t).toEqual([20, 30, 40]);
    expect(dropBefore(points, 30).t).toEqual([20, 30, 40]);
    expect(dropBefore(points, 5)).toBe(points);
    expect(dropBefore(points, 99).t).toEqual([40]);
  });

  it('are downsampled with exact extremes, mean and number', () => {
    const samples = Array.from({ length: 1001 }, (_, i) => [i, i === 500 ? 1e6 : i % 7] as const);
    const downsampled = downsample(raw(...samples), 100);
    expect(downsampled.t.length).toBeLessThanOrEqual(100);
    expect(Math.max(...downsampled.max)).toBe(1e6);
    expect(Math.min(...downsampled.min)).toBe(0);
    expect(downsampled.count.reduce((a, b) => a + b)).toBe(1001);
    expect(downsampled.last.at(-1)).toBe(1000 % 7);
    const sum = samples.reduce((total, [, value]) => total + value, 0);
    expect(downsampled.avg.reduce((total, mean, i) => total + mean * (downsampled.count[i] ?? 0), 0)).toBeCloseTo(
      sum,
      3,
    );
    expect(isDownsampled(downsampled)).toBe(true);
    expect(isDownsampled(raw([1, 1]))).toBe(false);
  });

  it('are framed by the neighbours that a coarser picture knows', () => {
    const coarse = raw([0, 1], [100, 2], [200, 3], [300, 4]);
    expect(framed(raw([120, 5], [180, 6]), coarse).t).toEqual([100, 120, 180, 200]);
    expect(framed(raw([0, 5], [350, 6]), coarse).t).toEqual([0, 350]);
    expect(framed(NO_POINTS, coarse)).toBe(NO_POINTS);
  });

  it('tell the nearest to an instant, and what lies within a time', () => {
    const points = raw([10, 5], [20, 1], [30, 9], [40, 2]);
    expect(nearest(points, 14)?.t).toBe(10);
    expect(nearest(points, 16)?.t).toBe(20);
    expect(nearest(points, 99)?.t).toBe(40);
    expect(nearest(NO_POINTS, 1)).toBeNull();
    expect(at(points, 4)).toBeNull();
    expect(extent(points, 15, 30)).toEqual({ min: 1, max: 9, first: 1, last: 9, samples: 2 });
    expect(extent(points, 41, 50)).toBeNull();
  });
});
