import { describe, expect, it } from 'vitest';
import { parseHost, sessionCookieName } from '../../../src/shared/host-header.ts';

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

it.each([
  ['127.0.0.1:4747', 'platform_session_4747'],
  ['[::1]:80', 'platform_session_80'],
  ['[::1]', 'platform_session'],
  ['bots.example', 'platform_session'],
  [undefined, 'platform_session'],
])('the session at %s is in the cookie %s', (host, name) => {
  expect(sessionCookieName(host)).toBe(name);
});
