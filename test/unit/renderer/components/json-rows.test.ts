import { describe, expect, it } from 'vitest';
import { jsonRows, PART, parentIndex } from '../../../../src/renderer/components/json-rows.ts';

const closed = () => false;
const open = () => true;
const shown = (value: unknown, isOpen: (id: string, depth: number) => boolean) =>
  jsonRows(value, isOpen).map((row) => `${'  '.repeat(row.depth)}${row.name ?? '$'} ${row.text}`);

describe('jsonRows', () => {
  it('shows a scalar as one row that cannot be opened', () => {
    for (const [value, kind, text] of [
      [null, 'null', 'null'],
      [true, 'boolean', 'true'],
      [-1.5, 'number', '-1.5'],
      ['a"b', 'string', '"a\\"b"'],
    ] as const) {
      expect(jsonRows(value, open)).toEqual([{ id: '', depth: 0, name: null, kind, text, open: null }]);
    }
  });

  it('opens only what is open', () => {
    const value = { a: [1, 2], b: {}, c: { d: null } };
    expect(shown(value, closed)).toEqual(['$ { 3 keys }']);
    expect(shown(value, (id) => id === '' || id === '/c')).toEqual([
      '$ { 3 keys }',
      '  a [ 2 items ]',
      '  b { 0 keys }',
      '  c { 1 key }',
      '    d null',
    ]);
  });

  it('gives keys that look like paths ids of their own', () => {
    const ids = jsonRows({ 'a/b': { c: 1 }, a: { 'b/c': 2, b: { c: 3 } }, '~1': 4 }, open).map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('/a~1b/c');
    expect(ids).toContain('/~01');
  });

  it('keeps keys that are names of prototypes', () => {
    expect(shown(JSON.parse('{"__proto__": 1, "constructor": 2}'), open)).toEqual([
      '$ { 2 keys }',
      '  __proto__ 1',
      '  constructor 2',
    ]);
  });

  it('shows a list of a million in parts of parts', () => {
    const value = Array.from({ length: 1_000_000 }, (_, index) => index);
    const rows = jsonRows(value, (id) => id === '');
    expect(rows).toHaveLength(1 + 100);
    expect(rows[1]).toMatchObject({ kind: 'part', name: '0 … 9999', text: '10,000 entries', open: false, depth: 1 });
    const [, part] = rows;
    const inside = jsonRows(value, (id) => id === '' || id === part?.id);
    expect(inside[2]).toMatchObject({ kind: 'part', name: '0 … 99', depth: 2 });
    const whole = jsonRows(value, (id) => id === '' || id === part?.id || id === inside[2]?.id);
    expect(whole[3]).toMatchObject({ id: '/0', name: '0', text: '0', depth: 3 });
    expect(whole).toHaveLength(1 + 100 + 100 + 100);
  });

  it('parts an object with many keys, too, each id once', () => {
    const value = Object.fromEntries(Array.from({ length: PART * PART + 1 }, (_, index) => [`k${index}`, index]));
    const ids = jsonRows(value, open).map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('cuts a long text until it is opened', () => {
    const text = `${'x'.repeat(500)}"`;
    expect(jsonRows(text, closed)[0]).toMatchObject({ open: false, text: `"${'x'.repeat(160)}…` });
    expect(jsonRows(text, open)[0]).toMatchObject({ open: true, text });
    expect(jsonRows('two\nlines', closed)[0]).toMatchObject({ open: false, text: '"two\\nlines…' });
  });

  it('opens nothing long by depth alone', () => {
    const byDepth = (_: string, depth: number) => depth < 5;
    expect(jsonRows(['x'.repeat(999)], byDepth)[1]).toMatchObject({ open: false });
  });

  it('finds the row that holds another', () => {
    const rows = jsonRows({ a: { b: 1 }, c: 2 }, open);
    expect([0, 1, 2, 3].map((index) => parentIndex(rows, index))).toEqual([0, 0, 1, 0]);
  });
});
