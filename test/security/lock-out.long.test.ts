import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestHost } from '../support/platform.ts';
import { type RawAnswer, rawRequest } from '../support/raw-http.ts';
import { call } from '../support/tiny-bot.ts';

const host = new TestHost();
const PASSWORD = 'a long enough password';
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

const logIn = (name: string, password: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  rawRequest(`${host.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ name, password }),
  });

const add = (name: string): Promise<unknown> => call(host, 'POST', '/api/v1/users', { name, password: PASSWORD });

/** Wrong passwords until the next one would have to wait. */
async function guessUntilRefused(name: string): Promise<void> {
  for (;;) if ((await logIn(name, 'a guess')).status === 429) return;
}

/** Guesses of a program of another account of this machine; gives the status of each. */
function guessesOf(account: number, name: string, times: number): Promise<number[]> {
  const program = `
    const statuses = [];
    for (let n = 0; n < ${times}; n++) {
      const answer = await fetch(process.argv[1] + '/api/v1/auth/login', {
        method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: ${JSON.stringify(name)}, password: 'guess ' + n }),
      });
      statuses.push(answer.status);
    }
    console.log(JSON.stringify(statuses));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, host.url], {
    uid: account,
    gid: account,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(JSON.parse(text)));
  });
}

describe('a stranger who guesses passwords', () => {
  // Only root can start a program as another user.
  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'from another account of this machine keeps nobody out here',
    async () => {
      await add('ann');
      const statuses = await guessesOf(65_534, 'ann', 12);
      expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
      expect(statuses.at(-1)).toBe(429);
      expect((await logIn('ann', PASSWORD)).status).toBe(200);
    },
  );

  it('from the same address keeps no browser out in which the user has logged in before', async () => {
    await add('bea');
    const first = await logIn('bea', PASSWORD);
    const known = (first.headers['set-cookie'] ?? []).find((one) => one.startsWith('platform_browser')) ?? '';
    expect(known).toMatch(/; HttpOnly; SameSite=Strict$/);
    const cookie = known.split(';')[0] ?? '';
    await guessUntilRefused('bea');
    expect((await logIn('bea', PASSWORD, { cookie })).status).toBe(200);
    // The token of a known browser grants no access by itself.
    const asked = await rawRequest(`${host.url}/api/v1/auth`, { headers: { cookie, origin: host.url } });
    expect(asked.status).toBe(401);
  });

  it('never keeps the owner of the machine out', async () => {
    await guessUntilRefused('owner');
    expect((await host.json('auth', 'status')).user.name).toBe('owner');
    const { url } = await call<{ url: string }>(host, 'POST', '/api/v1/auth/link', {});
    const answer = await rawRequest(`${host.url}/api/v1/auth/enter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket: url.split('enter=')[1] }),
    });
    expect(answer.status).toBe(200);
  });

  it('with many names at once leaves turns for others', async () => {
    await add('dora');
    const guesses = Array.from({ length: 60 }, (_, n) => logIn(`nobody-${n}`, 'a guess'));
    const counts = new Map<number, number>();
    for (const { status } of await Promise.all(guesses)) counts.set(status, (counts.get(status) ?? 0) + 1);
    // At most sixteen of one source wait for their turn; the host allows 64 in all.
    expect(counts.get(429) ?? 0).toBeGreaterThan(0);
    expect((await logIn('dora', PASSWORD)).status).toBe(200);
  });
});
