import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestHost, testHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { type RawAnswer, rawRequest } from '../support/raw-http.ts';
import { call } from '../support/tiny-bot.ts';

/**
 * Guessing passwords, keys, codes and tickets, and asking without end, over HTTP. Times and counts one by one are in
 * test/unit/main/host/auth/attempts.test.ts, sessions.test.ts, device-codes.test.ts, login-links.test.ts and
 * test/unit/main/host/http/rate-limit.test.ts.
 */
const host = new TestHost();
beforeAll(async () => {
  await host.start();
  await call(host, 'POST', '/api/v1/users', { name: 'guessed', password: 'a long enough password' });
});
afterAll(() => host.stop());

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  rawRequest(`${host.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const statuses = (answers: readonly RawAnswer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('guesses', () => {
  it('of a password: five are judged, sent all at once or not; then the right one has to wait as well', async () => {
    const guess = (password: string): Promise<RawAnswer> => post('/api/v1/auth/login', { name: 'guessed', password });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => guess(`wrong ${n}`)));
    const counts = statuses(answers);
    expect(Object.keys(counts).sort()).toEqual(['401', '429']);
    expect(counts['401']).toBeLessThanOrEqual(5);
    for (const { status, headers } of answers)
      if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    const right = await guess('a long enough password');
    expect([right.status, right.json().error.code]).toEqual([429, 'RATE_LIMITED']);
    await prove('guessing', 'passwords sent at once', {
      sent: 40,
      judged: counts['401'] ?? 0,
      'told to wait': counts['429'] ?? 0,
    });
  });

  it('of a name are answered with the same words, whether there is somebody or not', async () => {
    await call(host, 'POST', '/api/v1/users', { name: 'there', password: 'a long enough password' });
    const shape = async (name: string): Promise<string> => {
      const answer = await post('/api/v1/auth/login', { name, password: 'wrong' });
      return answer.text.replace(/req_\w+/, 'req');
    };
    expect(await shape('there')).toBe(await shape('nobody-of-that-name'));
    expect(await shape('owner')).toBe(await shape('another-nobody'));
  });

  it('of codes by somebody who is logged in have to wait', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        post('/api/v1/auth/device/approve', { user_code: `BCDF-GHJ${n}` }, { authorization: `Bearer ${host.token}` }),
      ),
    );
    expect(statuses(answers)).toEqual({ 401: 5, 429: 7 });
  });

  it('of tickets and device codes tell nothing, and none is let in', async () => {
    for (const body of [{ ticket: 'x' }, { ticket: 'tick_000000000000_'.padEnd(61, 'A') }, { ticket: '' }])
      expect((await post('/api/v1/auth/enter', body)).status).toBe(401);
    for (const body of [{ device_code: 'x' }, { device_code: 'A'.repeat(43) }])
      expect((await post('/api/v1/auth/device/poll', body)).status).toBe(401);
  });
});

describe('asking without end', () => {
  it('is told to wait: a key, and an address without one; another key goes on', async ({ onTestFinished }) => {
    // 4 at once and 2 a second: so few that a busy machine sends faster.
    const slow = await testHost(onTestFinished, (dir) =>
      writeFileSync(join(dir, 'settings.json'), JSON.stringify({ rate_limit: 2 })),
    );
    const make = async (name: string): Promise<string> =>
      (await call<{ key: string }>(slow, 'POST', '/api/v1/keys', { name })).key;
    const [busy, quiet] = [await make('busy'), await make('quiet')];
    const ask = (key: string): Promise<RawAnswer> =>
      rawRequest(`${slow.url}/api/v1/auth`, { headers: { 'x-api-key': key } });
    const counts = statuses(await Promise.all(Array.from({ length: 400 }, () => ask(busy))));
    expect(Object.keys(counts).sort()).toEqual(['200', '429']);
    expect((await ask(quiet)).status).toBe(200);
    const enter = (): Promise<RawAnswer> =>
      rawRequest(`${slow.url}/api/v1/auth/enter`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"ticket":"x"}',
      });
    const open = statuses(await Promise.all(Array.from({ length: 400 }, enter)));
    expect(Object.keys(open).sort()).toEqual(['401', '429']);
    expect((await ask(quiet)).status).toBe(200);
    const figures = { sent: 400, answered: counts['200'] ?? 0, 'told to wait': counts['429'] ?? 0 };
    await prove('guessing', 'requests of one key at once', figures, 'asking');
  });
});
