import { expect, it } from 'vitest';
import { resolveTimeZone } from '../../../src/shared/time-zone.ts';

it('gives a time zone one name, and none to anything else', () => {
  expect(resolveTimeZone('Europe/Berlin')).toBe('Europe/Berlin');
  expect(resolveTimeZone('europe/BERLIN')).toBe('Europe/Berlin');
  expect(resolveTimeZone('UTC')).toBe('UTC');
  for (const wrong of ['', 'Berlin', '+02:00', 'Europe/Berlin ', 'Europe/Berlin\n', 'a'.repeat(10_000), '__proto__'])
    expect([wrong, resolveTimeZone(wrong)]).toEqual([wrong, null]);
});
