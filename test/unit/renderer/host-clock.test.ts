import { expect, it } from 'vitest';
import { aheadBy } from '../../../src/renderer/host-clock.ts';

const HOST = Date.UTC(2026, 10, 21, 12, 0, 0);
const DATE = new Date(HOST).toUTCString();

it('tells a wrong clock from the way of an answer', () => {
  // Asked when the host's clock stood at 12:00:00.4, answered 300 ms later.
  const asked = (error: number) => HOST + 400 + error;
  const apart = (error: number) => aheadBy(DATE, asked(error), asked(error) + 300);
  expect(apart(0)).toBe(0);
  expect(apart(1500)).toBe(0);
  expect(apart(-600_000)).toBeGreaterThan(599_000);
  expect(apart(3_600_000)).toBeLessThan(-3_599_000);
  expect(aheadBy(null, 0, 0)).toBe(0);
  expect(aheadBy('soon', 0, 0)).toBe(0);
});
