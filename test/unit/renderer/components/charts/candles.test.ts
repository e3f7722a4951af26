import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candleLength, candlesOf, lengthText } from '../../../../../src/renderer/components/charts/candles.ts';
import { append, NO_POINTS } from '../../../../../src/shared/series-points.ts';

const MINUTE = 60_000;

describe('candles', () => {
  it('open where the one before closed, and hold the extremes of their time', () => {
    const points = append(NO_POINTS, [
      { t: 0, value: 10 },
      { t: 20_000, value: 14 },
      { t: 50_000, value: 12 },
      { t: 61_000, value: 15 },
      { t: 119_000, value: 9 },
      { t: 300_000, value: 11 },
    ]);
    expect(candlesOf(points, MINUTE)).toEqual([
      { t: 0, open: 10, high: 14, low: 10, close: 12 },
      { t: MINUTE, open: 12, high: 15, low: 9, close: 9 },
      { t: 5 * MINUTE, open: 9, high: 11, low: 9, close: 11 },
    ]);
    expect(candlesOf(NO_POINTS, MINUTE)).toEqual([]);
  });

  it('have lengths that traders know, and room enough to be told apart', () => {
    const hour = { from: 0, to: 60 * MINUTE };
    expect(candleLength(hour, 700)).toBe(MINUTE);
    expect(candleLength(hour, 300)).toBe(5 * MINUTE);
    expect(candleLength({ from: 0, to: 90 * 24 * 60 * MINUTE }, 1000)).toBe(24 * 60 * MINUTE);
    expect(candleLength({ from: 0, to: 20 * 365 * 24 * 60 * MINUTE }, 1000)).toBe(52 * 24 * 60 * MINUTE);
    expect([1000, 15 * MINUTE, 4 * 60 * MINUTE, 24 * 60 * MINUTE].map(lengthText)).toEqual([
      '1 s',
      '15 min',
      '4 h',
      '1 d',
    ]);
  });

  it('lose no extreme and end at the newest value, whatever the prices are', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 90_000 }), fc.integer({ min: -50, max: 50 })), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (all) => {
        let t = 0;
        const samples = all.map(([after, value]) => {
          t += after;
          return { t, value };
        });
        const candles = candlesOf(append(NO_POINTS, samples), MINUTE);
        const values = samples.map(({ value }) => value);
        expect(Math.max(...candles.map(({ high }) => high))).toBe(Math.max(...values));
        expect(Math.min(...candles.map(({ low }) => low))).toBe(Math.min(...values));
        expect(candles.at(-1)?.close).toBe(values.at(-1));
        for (const { open, high, low, close } of candles) {
          expect(Math.max(open, close)).toBeLessThanOrEqual(high);
          expect(Math.min(open, close)).toBeGreaterThanOrEqual(low);
        }
      }),
    );
  });
});
