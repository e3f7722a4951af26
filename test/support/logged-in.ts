import type { TestHost } from './platform.ts';
import { rawRequest } from './raw-http.ts';
import { call } from './tiny-bot.ts';

/** Makes a user, and gives the host as that user sees it after a log-in with the password. */
export async function loggedIn(host: TestHost, name: string): Promise<Pick<TestHost, 'url' | 'fetch'>> {
  const login = { name, password: 'a long pass phrase' };
  await call(host, 'POST', '/api/v1/users', login);
  const answer = await rawRequest(`${host.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  const headers = { authorization: `Bearer ${answer.json().token}`, 'content-type': 'application/json' };
  return {
    url: host.url,
    fetch: (path, init = {}) => fetch(`${host.url}${path}`, { ...init, headers: { ...headers, ...init.headers } }),
  };
}
