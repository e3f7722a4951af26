import { describe, expect, it } from 'vitest';
import type { NewApiKey, User } from '../../src/contract/account.ts';
import { writeBackup } from '../../src/main/host/backup/backup.ts';
import { restoreBackup } from '../../src/main/host/backup/restore.ts';
import { openDataFolder } from '../../src/node/data-folder.ts';
import { endOf, ONCE, TestHost, testHost } from '../support/platform.ts';
import { call } from '../support/tiny-bot.ts';

const OLD = 'correct horse battery';
const NEW = 'another horse battery';

async function statusAs(host: TestHost, secret: string): Promise<number> {
  return (await fetch(`${host.url}/api/v1/bots`, { headers: { ...ONCE, authorization: `Bearer ${secret}` } })).status;
}

const logIn = (host: TestHost, name: string, password: string): Promise<Response> =>
  host.fetch('/api/v1/auth/login', { method: 'POST', body: JSON.stringify({ name, password }) });

async function restore(host: TestHost, file: string): Promise<void> {
  await host.stop();
  const folder = openDataFolder(host.dataDir);
  await restoreBackup({ folder, file, startBots: false, now: Date.now, endPrograms: async () => [] });
  await host.start();
}

describe('a backup', () => {
  it('gives back no key, password, role or user that was taken since, in the same folder', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const key = (name: string) => call<NewApiKey>(host, 'POST', '/api/v1/keys', { name });
    const user = (name: string, role: string) =>
      call<User>(host, 'POST', '/api/v1/users', { name, role, password: OLD });
    const keyOf = async (name: string): Promise<NewApiKey> => {
      const { token } = (await (await logIn(host, name, OLD)).json()) as { token: string };
      const headers = { authorization: `Bearer ${token}` };
      const made = await host.fetch('/api/v1/keys', { method: 'POST', body: `{"name":"of ${name}"}`, headers });
      return (await made.json()) as NewApiKey;
    };
    const [kept, leaked] = [await key('kept'), await key('leaked')];
    const [ann, bob, carl] = [await user('ann', 'user'), await user('bob', 'owner'), await user('carl', 'user')];
    const [annsKey, carlsKey] = [await keyOf('ann'), await keyOf('carl')];
    await host.stop();
    const folder = openDataFolder(host.dataDir);
    const { file } = await writeBackup({ folder, withLogs: false, version: '0.1.0', now: Date.now });
    await host.start();
    await call(host, 'DELETE', `/api/v1/keys/${leaked.key_id}`);
    await call(host, 'PATCH', `/api/v1/users/${ann.user_id}`, { password: NEW });
    await call(host, 'PATCH', `/api/v1/users/${bob.user_id}`, { role: 'user' });
    await call(host, 'DELETE', `/api/v1/users/${carl.user_id}`);

    const seen = async (at: TestHost): Promise<unknown> => ({
      keys: await Promise.all([kept, leaked, annsKey, carlsKey].map(({ key }) => statusAs(at, key))),
      ann: [(await logIn(at, 'ann', OLD)).status, (await logIn(at, 'ann', NEW)).status],
      bob: (await call<{ items: User[] }>(at, 'GET', '/api/v1/users')).items.find(({ name }) => name === 'bob')?.role,
      carl: (await logIn(at, 'carl', OLD)).status,
    });
    const taken = { keys: [200, 401, 401, 401], ann: [401, 200], bob: 'user', carl: 401 };
    expect(await seen(host)).toEqual(taken);
    // A second restore goes by what the first one has left.
    for (let round = 0; round < 2; round++) {
      await restore(host, file);
      expect(await seen(host), `restore ${round}`).toEqual(taken);
    }
    // Another folder knows of none of it.
    const elsewhere = new TestHost();
    onTestFinished(() => endOf(elsewhere), 180_000);
    await restore(elsewhere, file);
    expect(await seen(elsewhere)).toEqual({ keys: [200, 200, 200, 200], ann: [200, 401], bob: 'owner', carl: 200 });
  });
});
