import { describe, expect, it } from 'vitest';
import { checkKey, decodeKey, encodeKey } from '../../../../../src/main/host/state/key-name.ts';

describe('file names of state keys', () => {
  it.each([
    ['bot_state', 'bot_state.json'],
    ['a.b-C_9', 'a.b-C_9.json'],
    ['.hidden', '%2Ehidden.json'],
    ['...', '%2E...json'],
    ['a b', 'a%20b.json'],
    ['100%', '100%25.json'],
    ['ü', '%C3%BC.json'],
    ['🚀', '%F0%9F%9A%80.json'],
    ['x.json', 'x.json.json'],
    ['__proto__', '__proto__.json'],
    ['a:b*?', 'a%3Ab%2A%3F.json'],
  ])('%j is kept as %s', (key, name) => {
    expect(encodeKey(key)).toBe(name);
    expect(decodeKey(name)).toBe(key);
  });

  it('reads hexadecimal digits of either case', () => {
    expect(['%C3%BC.json', '%c3%bc.json'].map(decodeKey)).toEqual(['ü', 'ü']);
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
    '%C3%bc.json',
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
    expect(() => checkKey('a'.repeat(128))).not.toThrow();
    expect(() => checkKey('é'.repeat(65))).toThrow('128 bytes');
  });

  it('refuses a key whose file no file system can name', () => {
    expect(() => checkKey('é'.repeat(41))).not.toThrow();
    expect(() => checkKey('é'.repeat(42))).toThrow('too long for a file name');
  });
});
