import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../../../src/main/host/bots/backoff.ts';

describe('back-off of a failing bot', () => {
  it('starts at 1 s and doubles to 5 min', () => {
    const middle = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 60].map((failures) => backoffMs(failures, 0.5));
    expect(middle).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]);
  });

  it('varies by 10 % either way', () => {
    expect(backoffMs(1, 0)).toBe(900);
    expect(backoffMs(1, 0.999_999)).toBe(1100);
    expect(backoffMs(20, 0)).toBe(270_000);
  });
});
