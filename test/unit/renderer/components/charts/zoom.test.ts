import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moved, wheelFactor, zoomed } from '../../../../../src/renderer/components/charts/zoom.ts';

describe('a stretch of time under the hand', () => {
  it('grows and shrinks around the instant that is pointed at', () => {
    expect(zoomed({ from: 0, to: 100 }, 25, 0.5)).toEqual({ from: 12.5, to: 62.5 });
    expect(zoomed({ from: 0, to: 100 }, 100, 2)).toEqual({ from: -100, to: 100 });
  });

  it('moves by a share of its length, which it keeps', () => {
    expect(moved({ from: 100, to: 200 }, 0.25)).toEqual({ from: 125, to: 225 });
    expect(moved({ from: 100, to: 200 }, -1)).toEqual({ from: 0, to: 100 });
  });

  it('comes back after the wheel was turned there and back, and never jumps far', () => {
    fc.assert(
      fc.property(fc.double({ min: -500, max: 500, noNaN: true }), (pixels) => {
        expect(wheelFactor(pixels) * wheelFactor(-pixels)).toBeCloseTo(1);
      }),
    );
    expect([wheelFactor(1e9), wheelFactor(-1e9)]).toEqual([4, 0.25]);
  });
});
