import { expect, it } from 'vitest';
import { shownDifferences } from '../../../../../src/main/host/bots/instance-differences.ts';

const MASKED = '********';

it('names every setting that differs, down to members of objects, with its values as JSON', () => {
  const before = { fast: 5, text: '5', nested: { a: 1, 'b.c': true }, list: [1, 2], gone: null };
  const after = { fast: 8, text: '8', nested: { a: 1, 'b.c': false }, list: [1], come: { x: 1 } };
  expect(shownDifferences('config', [before, after], [before, after])).toEqual([
    { path: 'config.fast', before: '5', after: '8', hidden: false },
    { path: 'config.text', before: '"5"', after: '"8"', hidden: false },
    { path: 'config.nested.b.c', before: 'true', after: 'false', hidden: false },
    { path: 'config.list', before: '[1,2]', after: '[1]', hidden: false },
    { path: 'config.gone', before: 'null', after: null, hidden: false },
    { path: 'config.come', before: null, after: '{"x":1}', hidden: false },
  ]);
});

it('tells that a secret differs, and shows neither value', () => {
  const found = shownDifferences(
    'config',
    [
      { key: 'one', same: 'x' },
      { key: 'two', same: 'x' },
    ],
    [
      { key: MASKED, same: MASKED },
      { key: MASKED, same: MASKED },
    ],
  );
  expect(found).toEqual([{ path: 'config.key', before: '"********"', after: '"********"', hidden: true }]);
});

it('says nothing of what is alike', () => {
  expect(shownDifferences('config', [{ a: [1] }, { a: [1] }], [{}, {}])).toEqual([]);
});
