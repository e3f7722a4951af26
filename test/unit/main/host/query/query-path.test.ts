import { describe, expect, it } from 'vitest';
import { checkQueryPath, encodeQueryPath } from '../../../../../src/main/host/query/query-path.ts';

describe('checkQueryPath', () => {
  it.each([
    ['/status', '/status'],
    ['status', '/status'],
    ['', '/'],
    ['/', '/'],
    ['/a/b.c/d-1', '/a/b.c/d-1'],
    ['/käse', '/käse'],
    ['/a%20b', '/a%20b'],
    ['/a:b', '/a:b'],
    ['/a//b', '/a//b'],
  ])('takes %j as %j', (path, checked) => {
    expect(checkQueryPath(path)).toBe(checked);
  });

  it.each([
    '//evil.example',
    '/../x',
    '/a/..',
    '/a/%2e%2e/b',
    '/a/%2E./b',
    '/a/%252e%252e/b',
    '/a/%25252e%25252e/b',
    '/%2f/evil',
    '%2f%2fevil',
    '/a\nb',
    '/a%0d%0ab',
    '/a\u0085b',
    '/a\u2028b',
    '/a%00',
    '/a\\b',
    '/a%5cb',
    'http://127.0.0.1/',
    '/a?b=1',
    '/a#b',
    '/a%',
    '/a%zz',
    '/a%ff',
    '/\ud800',
    `/${'x'.repeat(2048)}`,
  ])('refuses %j', (path) => {
    expect(() => checkQueryPath(path)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });
});

describe('encodeQueryPath', () => {
  it.each([
    ['/status', '/status'],
    ['/a b', '/a%20b'],
    ['/a%20b', '/a%20b'],
    ['/käse/🚀', '/k%C3%A4se/%F0%9F%9A%80'],
    ['/"<>`', '/%22%3C%3E%60'],
  ])('%j stands as %j in a request', (path, encoded) => {
    expect(encodeQueryPath(path)).toBe(encoded);
  });
});
