import { expect, it } from 'vitest';
import { clockText } from '../../../src/cli/show-output.ts';

it('clockText leaves out the date of today alone', () => {
  const now = Date.parse('2026-02-01T00:00:00.000Z');
  expect(clockText('2026-02-01T10:14:02.123Z', now)).toBe('10:14:02');
  expect(clockText('2026-01-31T23:59:59.999Z', now)).toBe('2026-01-31 23:59:59');
});
