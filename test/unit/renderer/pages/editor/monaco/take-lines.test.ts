import { expect, it } from 'vitest';
import { changeAt, type LineChange, takeLines } from '../../../../../../src/renderer/pages/editor/monaco/take-lines.ts';

const change = (original: readonly [number, number], modified: readonly [number, number]): LineChange => ({
  originalStartLineNumber: original[0],
  originalEndLineNumber: original[1],
  modifiedStartLineNumber: modified[0],
  modifiedEndLineNumber: modified[1],
});

it.each([
  ['changed lines', ['a', 'B1', 'B2', 'c'], ['a', 'b', 'c'], change([2, 3], [2, 2])],
  ['lines that are missing here', ['a', 'x', 'c'], ['a', 'c'], change([2, 2], [1, 0])],
  ['lines that are missing at the beginning', ['x', 'a'], ['a'], change([1, 1], [0, 0])],
  ['lines that are missing there', ['a', 'c'], ['a', 'mine', 'too', 'c'], change([1, 0], [2, 3])],
  ['lines that are missing at the end', ['a', 'x'], ['a'], change([2, 2], [1, 0])],
])('takes over %s', (_, original, modified, one) => {
  expect(takeLines(original, modified, one)).toEqual(original);
});

it('leaves all other lines', () => {
  expect(takeLines(['A', 'b', 'C'], ['a', 'b', 'c'], change([3, 3], [3, 3]))).toEqual(['a', 'b', 'C']);
});

it('finds the change at a line, else the next, else the first', () => {
  const [one, two] = [change([2, 2], [2, 4]), change([7, 8], [9, 0])];
  expect([1, 3, 5, 9, 10].map((line) => changeAt([one, two], line))).toEqual([one, one, two, two, one]);
  expect(changeAt([], 1)).toBeUndefined();
});
