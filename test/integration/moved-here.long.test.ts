import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import type { HostInfo } from '../../src/contract/host.ts';
import { PLACE_FAULT_POINTS } from '../../src/node/fault-point.ts';
import { copiedFolder, copiedHost } from '../support/copied-host.ts';
import { Fault } from '../support/fault.ts';
import { makeKey } from '../support/mcp.ts';
import { programsOf } from '../support/platform.ts';
import { call } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

it('`platform moved-here` starts the bots of a copied folder, for its owner in person and after a yes', async ({
  onTestFinished,
}) => {
  const { original, copy, botId } = await copiedHost(onTestFinished);
  const bot = (): Promise<Bot> => call<Bot>(copy, 'GET', `/api/v1/bots/${botId}`);
  expect(await bot()).toMatchObject({ status: 'stopped', reason: { code: 'COPIED' } });
  // Its bot learns nothing of the folders of this machine.
  expect(JSON.stringify(await bot())).not.toContain(original.dataDir);

  const looked = await copy.cli('doctor', '--json');
  expect(looked.stdout).toContain(`copied or moved here from ${original.dataDir}; its bots wait`);

  // That it waits is no failure of the bot.
  expect(await call(copy, 'GET', `/api/v1/bots/${botId}/diagnosis`)).toMatchObject({ failure: null });
  const diagnosed = (await copy.cli('bot', 'diagnose', botId)).stdout;
  expect(diagnosed).toContain('The data folder of this host was copied or moved here');
  expect(diagnosed).toContain('platform moved-here');
  expect((await copy.cli('bot', 'get', botId)).stdout).not.toContain('exit');

  const started = await copy.cli('bot', 'start', botId);
  expect(started.code).not.toBe(0);
  expect(started.stderr).toContain('COPIED');
  expect(started.stderr).toContain('platform moved-here');

  const silent = await copy.cli('moved-here');
  expect(silent.code).not.toBe(0);
  expect(silent.stderr).toContain(`This folder was at ${original.dataDir}`);
  const byKey = await copy.cliWith({ env: { PLATFORM_API_KEY: await makeKey(copy) } }, 'moved-here', '-y');
  expect(byKey.code).not.toBe(0);
  expect(byKey.stderr).toContain('SESSION_REQUIRED');
  expect(await bot()).toMatchObject({ status: 'stopped', reason: { code: 'COPIED' } });

  const moved = await copy.cli('moved-here', '-y');
  expect(moved.code, moved.stderr).toBe(0);
  expect(moved.stdout).toContain('This folder belongs here now. 1 bot starts.');
  await until('the bot runs', async () => (await bot()).status === 'running');

  const again = await copy.cli('moved-here', '-y');
  expect(again.code, again.stderr).toBe(0);
  expect(again.stdout).toContain('nothing was changed');
  // The folder that was left behind asks in its turn only if it is taken elsewhere.
  expect((await copy.cli('doctor', '--json')).stdout).toContain('the folder belongs here, named copy');
});

it('`platform moved-here` starts nothing while the original is in use', async ({ onTestFinished }) => {
  const { original, copy, botId } = await copiedHost(onTestFinished);
  await original.start();
  const refused = await copy.cli('moved-here', '-y');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('HOST_RUNNING');
  expect(refused.stderr).toContain(`\`platform stop --data ${original.dataDir}\``);
  // The folder that was asked about is not the one to stop.
  const named = await copy.cli('moved-here', '-y', '--data', copy.dataDir);
  expect(named.stderr).toContain(`\`platform stop --data ${original.dataDir}\``);
  expect(await call<Bot>(copy, 'GET', `/api/v1/bots/${botId}`)).toMatchObject({ reason: { code: 'COPIED' } });
});

it('`platform moved-here` says of which places nobody can tell whether they are in use', async ({ onTestFinished }) => {
  const { original, copy } = await copiedHost(onTestFinished);
  expect((await copy.cli('moved-here')).stderr).not.toContain('cannot be seen from here');
  renameSync(original.dataDir, `${original.dataDir}-renamed`);
  const asked = await copy.cli('moved-here');
  expect(asked.stderr).toContain(
    `It cannot be seen from here whether a host runs on ${original.dataDir} (nothing lies there`,
  );
  const moved = await copy.cli('moved-here', '-y');
  expect(moved.code, moved.stderr).toBe(0);
});

it('a bot that waits for a move answers no query: its query program would run beside the original', async ({
  onTestFinished,
}) => {
  const query = "import { query } from '@bot-platform/sdk'; query.handler('/x', () => ({ x: 1 })); query.run();";
  const { copy, botId } = await copiedHost(onTestFinished, { query });
  const ask = (): Promise<Response> =>
    copy.fetch(`/bot/${botId}/query`, { method: 'POST', body: JSON.stringify({ path: '/x' }) });
  const refused = await ask();
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { error: { code: 'COPIED', hint: expect.stringContaining('platform moved-here') } },
  ]);
  expect((await copy.cli('moved-here', '-y')).code).toBe(0);
  await until('an answer', async () => (await ask()).status === 200);
});

it.for(PLACE_FAULT_POINTS)(
  'a copy whose first host dies at %s waits all the same, with an id of its own',
  async (point, { onTestFinished }) => {
    const fault = new Fault();
    // Nothing but the content of `host-id` tells the copy from its original.
    const env = () => ({ KUBERNETES_SERVICE_HOST: '192.0.2.1', ...fault.env });
    const { original, copy, botId } = await copiedFolder(onTestFinished, { env });
    fault.set(point);
    await expect(copy.start()).rejects.toThrow();
    fault.set(null);
    await copy.start();
    expect((await call<HostInfo>(copy, 'GET', '/api/v1/host')).place).toMatchObject({ state: 'copied', waiting: 1 });
    expect(await call<Bot>(copy, 'GET', `/api/v1/bots/${botId}`)).toMatchObject({ reason: { code: 'COPIED' } });
    expect(await programsOf(copy)).toEqual([]);
    const idOf = (dir: string): string => readFileSync(join(dir, 'host-id'), 'utf8');
    expect(idOf(copy.dataDir)).not.toBe(idOf(original.dataDir));
  },
);
