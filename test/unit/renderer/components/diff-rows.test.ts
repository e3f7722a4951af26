import { expect, it } from 'vitest';
import { sideBySide } from '../../../../src/renderer/components/diff-rows.ts';
import { diffLines } from '../../../../src/shared/line-diff.ts';

it('puts what was taken away beside what came in its place', () => {
  const rows = sideBySide(diffLines('a\nb\nc\nd\n', 'a\nx\nd\ne\n'));
  expect(rows.map(({ left, right }) => [left?.text, right?.text])).toEqual([
    ['a', 'a'],
    ['b', 'x'],
    ['c', undefined],
    ['d', 'd'],
    [undefined, 'e'],
  ]);
});
