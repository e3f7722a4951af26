import { describe, expect, it } from 'vitest';
import { instantText, tickTexts } from '../../../../../src/renderer/components/charts/time-labels.ts';
import { padded } from '../../../../../src/renderer/components/charts/value-range.ts';

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
