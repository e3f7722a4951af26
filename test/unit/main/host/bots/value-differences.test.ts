import { expect, it } from 'vitest';
import {
  differentItems,
  hidingChanges,
  valueDifferences,
} from '../../../../../src/main/host/bots/value-differences.ts';

const MASKED = '********';

const openly = (value: unknown) => ({ real: value, shown: value });
const found = (before: unknown, after: unknown) => [...valueDifferences('config', openly(before), openly(after))];

it('names every setting that differs, down to members of objects and items of lists, with its values as JSON', () => {
  const before = { fast: 5, text: '5', nested: { a: 1, 'b.c': true }, list: [1, { x: 2, y: 3 }], gone: null };
  const after = { fast: 8, text: '8', nested: { a: 1, 'b.c': false }, list: [1, { x: 4, y: 3 }, 5], come: { x: 1 } };
  expect(found(before, after)).toEqual([
    { path: 'config.fast', before: '5', after: '8', hidden: false },
    { path: 'config.text', before: '"5"', after: '"8"', hidden: false },
    { path: 'config.nested["b.c"]', before: 'true', after: 'false', hidden: false },
    { path: 'config.list[1].x', before: '2', after: '4', hidden: false },
    { path: 'config.list[2]', before: null, after: '5', hidden: false },
    { path: 'config.gone', before: 'null', after: null, hidden: false },
    { path: 'config.come', before: null, after: '{"x":1}', hidden: false },
  ]);
});

it('says nothing of what is alike', () => {
  expect(found({ a: [1] }, { a: [1] })).toEqual([]);
  expect(found({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
});

it('tells a reference to another secret by its name', () => {
  expect(found({ key: { $secret: 'A' } }, { key: { $secret: 'B' } })).toEqual([
    { path: 'config.key', before: '{"$secret":"A"}', after: '{"$secret":"B"}', hidden: false },
  ]);
});

it.each([
  ['one more in front', ['a', 'b'], ['x', 'a', 'b'], [[0, undefined, 'x']]],
  ['one fewer in the middle', ['a', 'b', 'c'], ['a', 'c'], [[1, 'b', undefined]]],
  [
    'another order',
    ['a', 'b', 'c'],
    ['b', 'a', 'c'],
    [
      [0, 'a', 'b'],
      [1, 'b', 'a'],
    ],
  ],
  ['one of two that are alike', ['a', 'a'], ['a'], [[1, 'a', undefined]]],
  ['none', ['a'], ['a'], []],
])('finds the items of lists that differ: %s', (_, before, after, expected) => {
  const items = differentItems(before, after, (one, other) => one === other);
  expect(items.map((one) => [one.index, one.before, one.after])).toEqual(expected);
});

it('tells what differs by the shown forms alone, and nothing part by part of what masking has rearranged', () => {
  const before = {
    real: { 'sk-one': 1, parts: ['abc', 'def'], same: 's' },
    shown: { [MASKED]: 1, parts: [MASKED], same: 's' },
  };
  const after = {
    real: { 'sk-two': 1, parts: ['abc', 'xyz'], same: 's' },
    shown: { [MASKED]: 1, parts: ['abc', 'xyz'], same: 's' },
  };
  const text = JSON.stringify([...valueDifferences('config', before, after)]);
  expect(text).toContain(MASKED);
  for (const secret of ['sk-', 'def']) expect(text).not.toContain(secret);
});

it('tells of each place that one version hides and the other does not, a list as one place', () => {
  const real = { a: 1, b: { c: 'x' }, list: ['x', 'y'], mixed: ['x', 'y'], both: 'x' };
  const was = { a: 1, b: { c: MASKED }, list: ['x', 'y'], mixed: [MASKED, 'y'], both: MASKED };
  const is = { a: MASKED, b: { c: 'x' }, list: [MASKED, MASKED], mixed: ['x', MASKED], both: MASKED };
  expect([...hidingChanges('config', openly(real), was, is)]).toEqual([
    { path: 'config.a', becomes: 'hidden' },
    { path: 'config.b.c', becomes: 'shown' },
    { path: 'config.list', becomes: 'hidden' },
    { path: 'config.mixed', becomes: 'hidden' },
    { path: 'config.mixed', becomes: 'shown' },
  ]);
});
