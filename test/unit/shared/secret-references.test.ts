import { describe, expect, it } from 'vitest';
import {
  isSealed,
  replaceValues,
  secretNameOf,
  secretNames,
  valuesWhere,
} from '../../../src/shared/secret-references.ts';

describe('secretNameOf', () => {
  it('reads an object with this one key and a text', () => {
    expect(secretNameOf({ $secret: 'KEY' })).toBe('KEY');
    for (const value of [null, 'KEY', { $secret: 1 }, { $secret: 'KEY', more: 1 }, {}, [{ $secret: 'KEY' }]])
      expect(secretNameOf(value)).toBeNull();
    expect(isSealed({ $sealed: 'v1' })).toBe(true);
    expect(isSealed({ $secret: 'v1' })).toBe(false);
  });
});

describe('secretNames', () => {
  it('finds each name once, at any depth', () => {
    const config = { a: { $secret: 'A' }, list: [{ b: { $secret: 'B' } }, { $secret: 'A' }], c: 'A' };
    expect(secretNames(config)).toEqual(['A', 'B']);
    expect(valuesWhere(config, (value) => secretNameOf(value) !== null).map(({ path }) => path)).toEqual([
      ['a'],
      ['list', '0', 'b'],
      ['list', '1'],
    ]);
  });
});

describe('replaceValues', () => {
  it('replaces values in a copy and leaves names such as __proto__ names', () => {
    const config = JSON.parse('{"__proto__": {"$secret": "A"}, "list": [{"$secret": "A"}, 1]}');
    const opened = replaceValues(config, (value) => (secretNameOf(value) === 'A' ? 'open' : undefined));
    expect(JSON.stringify(opened)).toBe('{"__proto__":"open","list":["open",1]}');
    expect(JSON.stringify(config)).toContain('$secret');
  });
});
