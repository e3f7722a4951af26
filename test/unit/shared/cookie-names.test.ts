import { expect, it } from 'vitest';
import { sessionCookieName } from '../../../src/shared/cookie-names.ts';

it.each([
  ['127.0.0.1:4747', 'platform_session_4747'],
  ['[::1]:80', 'platform_session_80'],
  ['[::1]', 'platform_session'],
  ['bots.example', 'platform_session'],
  [undefined, 'platform_session'],
])('the session at %s is in the cookie %s', (host, name) => {
  expect(sessionCookieName(host)).toBe(name);
});
