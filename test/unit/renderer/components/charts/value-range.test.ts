import { describe, expect, it } from 'vitest';
import { padded } from '../../../../../src/renderer/components/charts/value-range.ts';

describe('value axes', () => {
  it('leave room around values, none below zero for what is never negative', () => {
    expect(padded(100, 200)).toEqual([88, 212]);
    expect(padded(1, 100)).toEqual([0, 111.88]);
    expect(padded(50, 50)).toEqual([49.5, 50.5]);
    expect(padded(0, 0)).toEqual([-1, 1]);
    expect(padded(null, null)).toEqual([0, 1]);
  });
});
