import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { HostInfo } from '../../src/contract/host.ts';
import { makeKey } from '../support/mcp.ts';
import { TestHost, testHost } from '../support/platform.ts';
import { rawRequest } from '../support/raw-http.ts';
import { tempDir } from '../support/temp.ts';
import { call, deployTiny, lineUntil, publish } from '../support/tiny-bot.ts';

const TALKS = "console.log('here'); setInterval(() => {}, 60_000);\n";

/** Databases of a host, with what SQLite keeps beside them, that others could read but for the folder. */
function openDatabases(dataDir: string): string[] {
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.db(-\w+)?$/.test(name) && (statSync(join(dataDir, name)).mode & 0o077) !== 0,
  );
}

it.skipIf(process.platform === 'win32')(
  'databases are for their user alone, also those of an earlier release and of bots that do not run',
  async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const bot = await deployTiny(host, { name: 'tiny-private', bot: TALKS });
    await lineUntil(host, bot.bot_id, 'here');
    expect(openDatabases(host.dataDir)).toEqual([]);
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`, {});
    await host.stop();
    const all = readdirSync(host.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.db'));
    expect(all.some((name) => name.includes('log'))).toBe(true);
    for (const name of all) chmodSync(join(host.dataDir, name), 0o644);
    await host.start();
    expect(openDatabases(host.dataDir)).toEqual([]);
  },
);

it('a data folder with a path that no database can be opened under is refused with the reason', async () => {
  const root = tempDir();
  const long = join(root, ...Array.from({ length: 28 }, () => 'x'.repeat(100)));
  const result = await new TestHost().cli('serve', '--data', long);
  expect(result.code).not.toBe(0);
  expect(result.stderr).toContain('INVALID_REQUEST');
  expect(result.stderr).toMatch(/at most \d+ can be used/);
});

it('a key is not told where things are on the machine of the host, an owner who is logged in is', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const place = { identity: null, note: null, from: null, waiting: null };
  const told = { pid: null, data_dir: null, home_dir: null, command: null, place };
  const as = async (credential: string): Promise<HostInfo> =>
    (await rawRequest(`${host.url}/api/v1/host`, { headers: { 'x-api-key': credential } })).json();
  expect(await as(await makeKey(host))).toMatchObject({ ...told, url: host.url });
  await call(host, 'POST', '/api/v1/users', { name: 'ann', password: 'a long enough password' });
  const ann = { name: 'ann', password: 'a long enough password' };
  const { token } = await call<{ token: string }>(host, 'POST', '/api/v1/auth/login', ann);
  expect(await as(token)).toMatchObject(told);
  expect(await as(host.token)).toMatchObject({ data_dir: host.dataDir, pid: expect.any(Number) });
  // What needs the process id finds it in the data folder.
  const env = { PLATFORM_API_KEY: await makeKey(host) };
  const stopped = await host.cliWith({ env }, 'stop');
  expect(stopped.code, stopped.stderr).toBe(0);
});

it('a key for named bots sees the custom bots of those alone', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const mine = await deployTiny(host, { name: 'tiny-mine', bot: TALKS });
  await publish(host, { name: 'tiny-other', bot: TALKS });
  const key = await makeKey(host, { bots: [mine.bot_id] });
  const ask = (path: string) => rawRequest(`${host.url}/api/v1${path}`, { headers: { 'x-api-key': key } });
  const { items } = (await ask('/custom-bots')).json();
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['tiny-mine']);
  for (const part of ['', '/schema', '/files', '/file?path=bot-config.yaml', '/diff?from=1.0.0&to=1.0.0']) {
    expect((await ask(`/custom-bots/tiny-other${part}`)).json().error.code).toBe('CUSTOM_BOT_NOT_FOUND');
    expect((await ask(`/custom-bots/tiny-mine${part}`)).status).toBe(200);
  }
});
