import { describe, expect, it } from 'vitest';
import { type ParamRow, pathsOf, readParams } from '../../../../../src/renderer/pages/bot/query-form.ts';

const row = (id: number, name: string, value: string, kind: ParamRow['kind'] = 'text'): ParamRow => ({
  id,
  name,
  value,
  kind,
});

describe('readParams', () => {
  it('reads texts and JSON, and passes over rows that are not there yet', () => {
    const read = readParams([
      row(1, ' limit ', '5'),
      row(2, '', ''),
      row(3, 'list', '[1]', 'JSON'),
      row(4, '__proto__', 'x'),
    ]);
    expect(read.ok && Object.entries(read.params)).toEqual([
      ['limit', '5'],
      ['list', [1]],
      ['__proto__', 'x'],
    ]);
  });
  it('says by row what is wrong', () => {
    const read = readParams([row(1, 'a', '{', 'JSON'), row(2, '', 'x'), row(3, 'b', ''), row(4, 'b', '')]);
    expect(read.ok ? [] : [...read.problems.keys()]).toEqual([1, 2, 4]);
  });
});

it('pathsOf takes only what is a list of paths', () => {
  expect(pathsOf({ available_queries: ['/a', 5, '/b'] })).toEqual(['/a', '/b']);
  for (const other of [null, 'x', {}, { available_queries: 'x' }, undefined]) expect(pathsOf(other)).toEqual([]);
});
