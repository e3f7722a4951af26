import { describe, expect, it } from 'vitest';
import {
  edgesOf,
  LINE_PX,
  type Place,
  roomAbove,
  roomBelow,
  rowAt,
  seqAt,
} from '../../../../../../src/renderer/pages/bot/logs/virtual-scroll-layout.ts';

describe('layout', () => {
  const place: Place = {
    first: 1,
    last: 1_000_000,
    from: 500_000,
    to: 501_000,
    atStart: false,
    atEnd: false,
    density: 1,
  };

  it('finds rows by height', () => {
    const edges = edgesOf([10, 30, 10]);
    expect([...edges]).toEqual([0, 10, 40, 50]);
    expect([-5, 0, 10, 39, 40, 500].map((y) => rowAt(edges, y))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('gives what is not held its share of a bounded height', () => {
    const sum = roomAbove(place) + roomBelow(place);
    expect(sum).toBeGreaterThan(11_900_000);
    expect(sum).toBeLessThan(12_100_000);
    expect(roomAbove({ ...place, last: 500_000, from: 400, to: 500 })).toBeCloseTo(399 * LINE_PX, -2);
    expect([roomAbove({ ...place, atStart: true }), roomBelow({ ...place, atEnd: true })]).toEqual([0, 0]);
  });

  it('knows which line belongs to a height', () => {
    const top = roomAbove(place);
    expect(seqAt(place, 0, top, 1000)).toBe(1);
    expect(seqAt(place, top / 2, top, 1000)).toBe(250_001);
    expect(seqAt(place, top + 500, top, 1000)).toBeNull();
    expect(seqAt(place, top + 1000 + roomBelow(place), top, 1000)).toBe(1_000_000);
  });
});
