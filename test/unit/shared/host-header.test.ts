import { describe, expect, it } from 'vitest';
import { parseHost } from '../../../src/shared/host-header.ts';

describe('parseHost', () => {
  it.each([
    ['127.0.0.1:4747', { name: '127.0.0.1', port: '4747' }],
    ['LOCALHOST', { name: 'localhost', port: '' }],
    ['[::1]:80', { name: '::1', port: '80' }],
  ])('reads %s', (text, expected) => expect(parseHost(text)).toEqual(expected));
  it.each(['', 'a b', 'user@localhost', 'localhost:4747/x', 'localhost:', '[::1', 'a,b', '127.0.0.1:999999'])(
    'refuses %j',
    (text) => expect(parseHost(text)).toBeNull(),
  );
});
