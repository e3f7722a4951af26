import { expect, it } from 'vitest';
import { sparklinePath } from '../../../../src/renderer/components/sparkline-path.ts';

it('a small line spans its box, and runs in the middle when nothing moves', () => {
  expect(sparklinePath([0, 10, 5], 80, 20)).toBe('M0 20L40 0L80 10');
  expect(sparklinePath([3, 3], 80, 20)).toBe('M0 10L80 10');
  expect(sparklinePath([3], 80, 20)).toBe('M0 10');
});
