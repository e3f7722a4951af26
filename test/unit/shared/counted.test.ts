import { expect, it } from 'vitest';
import { counted } from '../../../src/shared/counted.ts';

it('puts a number before its noun', () => {
  expect(counted(0, 'row')).toBe('0 rows');
  expect(counted(1, 'row')).toBe('1 row');
  expect(counted(2400, 'row')).toBe('2,400 rows');
  expect(counted(1, 'entry', 'entries')).toBe('1 entry');
  expect(counted(2, 'entry', 'entries')).toBe('2 entries');
});
