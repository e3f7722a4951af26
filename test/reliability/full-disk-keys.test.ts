import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApiKey, NewApiKey, SessionInfo } from '../../src/contract/account.ts';
import { endOf, ONCE, TestHost } from '../support/platform.ts';
import { fillDisk, freeBytes, mountTmpfs } from '../support/small-disk.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const LOGIN = { name: 'ann', password: 'correct horse battery' };

/** A request with this key or session; its status. */
async function ask(host: TestHost, secret: string, path = '/api/v1/bots', method = 'GET'): Promise<number> {
  const headers = { ...ONCE, authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const body = method === 'GET' ? {} : { body: '{}' };
  return (await fetch(`${host.url}${path}`, { method, headers, ...body })).status;
}

/** Until the control database itself has no room left, not even in its log. */
async function fillAll(host: TestHost, name: string): Promise<void> {
  fillDisk(join(host.dataDir, name));
  const refused = async (): Promise<boolean> =>
    (await host.fetch('/api/v1/keys', { method: 'POST', body: '{"name":"filler"}' })).status === 507;
  await until('the control database to be full', refused);
  expect(freeBytes(host.dataDir)).toBeLessThan(64 * 1024);
}

describe.runIf(process.platform === 'linux')('keys and sessions on a disk without a free byte', () => {
  it('let their owners in, and can be taken back for good', async ({ onTestFinished, skip }) => {
    const disk = mountTmpfs(96);
    if (disk === null) return skip('only root may mount a small disk here');
    onTestFinished(() => disk.unmount(), 180_000);
    const host = new TestHost(disk.dir);
    onTestFinished(() => endOf(host), 180_000);
    await host.start();
    const bot = await deployTiny(host, { name: 'waits', bot: 'setInterval(() => undefined, 1000);' });
    const keyNamed = (name: string) => call<NewApiKey>(host, 'POST', '/api/v1/keys', { name });
    const [kept, leaked] = [await keyNamed('kept'), await keyNamed('leaked')];
    const { user_id } = await call<{ user_id: string }>(host, 'POST', '/api/v1/users', LOGIN);
    const session = async (): Promise<string> =>
      (await call<{ token: string }>(host, 'POST', '/api/v1/auth/login', LOGIN)).token;
    const [first, second] = [await session(), await session()];
    const sessions = async (): Promise<SessionInfo[]> =>
      (await call<{ items: SessionInfo[] }>(host, 'GET', `/api/v1/sessions?user_id=${user_id}`)).items;
    const lost = (await sessions()).find(({ session_id }) => second.includes(session_id))?.session_id ?? '';
    expect(lost).not.toBe('');
    await fillAll(host, 'filler');

    expect([await ask(host, kept.key), await ask(host, leaked.key), await ask(host, second)]).toEqual([200, 200, 200]);
    expect(await ask(host, kept.key, `/api/v1/bots/${bot.bot_id}/stop`, 'POST')).toBe(200);
    const keys = async (): Promise<ApiKey[]> => (await call<{ items: ApiKey[] }>(host, 'GET', '/api/v1/keys')).items;
    const keyOf = async ({ key_id }: NewApiKey) => (await keys()).find((one) => one.key_id === key_id);
    expect((await keyOf(kept))?.last_used_at).not.toBeNull();

    await call(host, 'DELETE', `/api/v1/keys/${leaked.key_id}`);
    await call(host, 'DELETE', `/api/v1/sessions/${lost}`);
    const standing = async (): Promise<unknown> => [
      [await ask(host, kept.key), await ask(host, leaked.key)],
      [await ask(host, first), await ask(host, second)],
      [(await keyOf(leaked))?.revoked_at !== null, (await sessions()).length],
    ];
    const expected = [
      [200, 401],
      [200, 401],
      [true, 1],
    ];
    expect(await standing()).toEqual(expected);

    // Killed, and started on the disk that is as full as before.
    await host.kill();
    fillDisk(join(disk.dir, 'filler again'));
    await host.start();
    expect(await standing()).toEqual(expected);

    // With space it is recorded: what was kept meanwhile is not needed any more.
    execFileSync('find', [disk.dir, '-maxdepth', '1', '-name', 'filler*', '-delete']);
    const wishes = join(disk.dir, 'wishes');
    await until('the record', () => !execFileSync('cat', [wishes]).includes('"wish"'));
    expect(await standing()).toEqual(expected);
    await host.stop();
    await host.start();
    expect(await standing()).toEqual(expected);
  }, 300_000);
});
