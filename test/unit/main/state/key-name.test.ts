import { describe, expect, it } from 'vitest';
import { checkKey, decodeKey, encodeKey } from '../../../../src/main/state/key-name.ts';

describe('file names of state keys', () => {
  it.each([
    ['bot_state', 'bot_state.json'],
    ['a.b-C_9', 'a.b-C_9.json'],
    ['.hidden', '%2ehidden.json'],
    ['...', '%2e...json'],
    ['a b', 'a%20b.json'],
    ['100%', '100%25.json'],
    ['ü', '%c3%bc.json'],
    ['🚀', '%f0%9f%9a%80.json'],
    ['x.json', 'x.json.json'],
    ['__proto__', '__proto__.json'],
    ['a:b*?', 'a%3ab%2a%3f.json'],
  ])('%j is kept as %s', (key, name) => {
    expect(encodeKey(key)).toBe(name);
    expect(decodeKey(name)).toBe(key);
  });

  it('reads hexadecimal digits of either case', () => {
    expect(decodeKey('%C3%BC.json')).toBe('ü');
  });

  it.each([
    'no-suffix',
    '.json',
    '.hidden.json',
    '.tmp-12-3',
    '%41.json',
    'a%.json',
    'a%2.json',
    'a%zz.json',
    '%ff.json',
    'a%2fb.json',
    'a b.json',
    `${'x'.repeat(129)}.json`,
  ])('%j is not one of ours', (name) => {
    expect(decodeKey(name)).toBeNull();
  });

  it.each(['', '.', '..', 'a/b', 'a\\b', 'a\0', 'é'.repeat(65), '\ud800'])('%j is no key', (key) => {
    expect(() => checkKey(key)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  it('counts bytes, not characters', () => {
    expect(() => checkKey('é'.repeat(64))).not.toThrow();
  });
});
