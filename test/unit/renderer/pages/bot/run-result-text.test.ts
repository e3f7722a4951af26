import { expect, it } from 'vitest';
import { resultLine, resultSentence } from '../../../../../src/renderer/pages/bot/run-result-text.ts';

it('says a result in one line', () => {
  expect(resultLine(null)).toBeNull();
  expect(resultLine({ status: 'success', message: 'done' })).toBe('done');
  expect(resultLine({ value: 1 })).toBe('{"value":1}');
  expect(resultLine({ text: 'x'.repeat(500) })).toHaveLength(201);
  expect(resultLine(0)).toBe('0');
});

it('says the values of a result as a sentence', () => {
  expect(resultSentence({ positions: 4, total_value: 12_480.5, note: 'all read' })).toBe(
    'positions 4 · total value 12480.5 · note all read',
  );
  expect(resultSentence({ message: 'done', value: 1 })).toBe('done');
  expect(resultSentence({ list: [1] })).toBe('{"list":[1]}');
  expect(resultSentence(null)).toBeNull();
});
