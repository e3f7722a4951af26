import { expect, it } from 'vitest';
import { resultLine } from '../../../../../src/renderer/pages/bot/run-words.ts';

it('says a result in one line', () => {
  expect(resultLine(null)).toBeNull();
  expect(resultLine({ status: 'success', message: 'done' })).toBe('done');
  expect(resultLine({ value: 1 })).toBe('{"value":1}');
  expect(resultLine({ text: 'x'.repeat(500) })).toHaveLength(201);
  expect(resultLine(0)).toBe('0');
});
