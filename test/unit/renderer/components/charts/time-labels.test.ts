import { describe, expect, it } from 'vitest';
import {
  fromInput,
  instantText,
  tickTexts,
  toInput,
} from '../../../../../src/renderer/components/charts/time-labels.ts';

describe('times in charts', () => {
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

  it('go into the fields of a form and come back, in either clock', () => {
    expect(toInput(at, 'UTC')).toBe('2026-11-21T23:59:30');
    for (const zone of ['UTC', 'local'] as const) expect(fromInput(toInput(at, zone), zone)).toBe(at);
    expect(fromInput('', 'UTC')).toBeNaN();
  });
});
