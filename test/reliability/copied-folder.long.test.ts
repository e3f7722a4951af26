import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import type { HostInfo } from '../../src/contract/host.ts';
import { inContainer } from '../../src/node/machine-id.ts';
import { dockerForTests } from '../support/docker.ts';
import { onMachine, whyNoNamespaces } from '../support/namespaces.ts';
import { endOf, killAll, programsOf, removeDir, TestHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';
import { call, deployTiny, lineUntil } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const ROUNDS = rounds(1, 50);
const MOVED = '/api/v1/host/moved-here';

const BOT = `
console.log('up');
setInterval(() => console.log('tick'), 100);`;

const placeOf = async (host: TestHost) => (await call<HostInfo>(host, 'GET', '/api/v1/host')).place;
const botOf = (host: TestHost, id: string) => call<Bot>(host, 'GET', `/api/v1/bots/${id}`);
const copyFolder = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to], { stdio: 'pipe' });

/** A call that is refused: its status and code. */
async function refusal(host: TestHost, path: string): Promise<string> {
  const response = await host.fetch(path, { method: 'POST' });
  const { error } = (await response.json()) as { error?: { code: string } };
  return `${response.status} ${error?.code}`;
}

/** A host on a folder of its own, which is ended with all programs. */
function hostOn(dir: string, docker: string | null, onTestFinished: TestContext['onTestFinished']): TestHost {
  const host = new TestHost(dir);
  if (docker !== null) host.useDocker(docker);
  onTestFinished(() => endOf(host), 180_000);
  return host;
}

const sorted = async (host: TestHost): Promise<number[]> => (await programsOf(host)).sort((a, b) => a - b);

/** Kills the programs of a bot as the end of their machine would. */
async function endPrograms(host: TestHost): Promise<void> {
  killAll(await programsOf(host));
  await until('the end of the programs', async () => (await programsOf(host)).length === 0);
}

/** What the host of the original does while its folder is copied. */
const STATES = {
  runs: async (_host: TestHost, copy: () => void) => copy(),
  'was stopped': async (host: TestHost, copy: () => void) => {
    await host.stop();
    copy();
    await host.start();
  },
  'was killed': async (host: TestHost, copy: () => void) => {
    await host.kill();
    copy();
    await host.start();
  },
} as const;
const WAYS = Object.keys(STATES) as (keyof typeof STATES)[];

/** A host that starts on a copy waits, touches nothing of the original, and starts its bots only once nothing runs there. */
async function copies(engine: string, docker: string | null, onTestFinished: TestContext['onTestFinished']) {
  const base = tempDir('platform-copy-');
  const original = hostOn(join(base, 'data'), docker, onTestFinished);
  await original.start();
  const { bot_id: id } = await deployTiny(original, { name: 'copied', runtime: 'nodejs24', bot: BOT });
  await lineUntil(original, id, 'up');
  let refused = 0;
  const runningNow = (): Promise<number[]> =>
    until('the program', async () => {
      const found = await sorted(original);
      return found.length > 0 && (await botOf(original, id)).status === 'running' ? found : null;
    });
  for (let round = 0; round < ROUNDS * WAYS.length; round++) {
    const way = WAYS[round % WAYS.length] ?? 'runs';
    const label = `${engine}, ${way}, round ${round}`;
    const before = await runningNow();
    const dir = join(base, `copy-${round}`);
    await STATES[way](original, () => copyFolder(original.dataDir, dir));
    const running = await runningNow();
    if (way !== 'was stopped') expect(running, label).toEqual(before);
    const copy = hostOn(dir, docker, onTestFinished);
    await copy.start();
    expect(await placeOf(copy), label).toMatchObject({
      state: 'copied',
      from: [{ path: original.dataDir, unseen: null }],
      waiting: 1,
    });
    expect(await botOf(copy, id), label).toMatchObject({ status: 'stopped', reason: { code: 'COPIED' } });
    for (const path of [`/api/v1/bots/${id}/start`, `/api/v1/bots/${id}/restart`]) {
      expect(await refusal(copy, path), label).toMatch(/^409 (COPIED|BOT_NOT_RUNNING)$/);
    }
    // Its host runs, then only its program does.
    expect(await refusal(copy, MOVED), label).toBe('409 HOST_RUNNING');
    await original.kill();
    expect(await refusal(copy, MOVED), label).toBe('409 COPIED');
    await copy.kill();
    await copy.start();
    expect(await placeOf(copy), label).toMatchObject({ state: 'copied', waiting: 1 });
    refused += 3;
    expect(await sorted(original), label).toEqual(running);
    expect(await programsOf(copy), label).toEqual([]);
    await original.start();
    expect(await botOf(original, id), label).toMatchObject({ status: 'running', restarts: 0 });
    expect(await sorted(original), label).toEqual(running);
    await original.stop();
    expect(await programsOf(original), label).toEqual([]);
    expect(await call(copy, 'POST', MOVED), label).toEqual({ started: 1 });
    await until('its program', async () => (await programsOf(copy)).length > 0);
    expect(await placeOf(copy), label).toMatchObject({ state: 'here', from: null, waiting: 0 });
    await endOf(copy);
    await original.start();
    expect(await placeOf(original), label).toMatchObject({ state: 'here' });
  }
  await prove(
    'R19',
    'A folder is copied while its host runs, after it was stopped, and after it was killed; both are started',
    {
      engine,
      'copies while it runs': ROUNDS,
      'after a stop': ROUNDS,
      'after a kill': ROUNDS,
      'programs of the original ended or taken over': 0,
      'two programs of a bot at once': 0,
      'starts refused': refused,
    },
    `R19-${engine}`,
  );
}

const found = await dockerForTests();

describe.skipIf(inContainer() !== null)('a copy of a data folder', () => {
  it('starts no second program, and touches none of the original', ({ onTestFinished }) =>
    copies('process', null, onTestFinished));

  it.skipIf('reason' in found)('starts no second container, and touches none of the original', ({ onTestFinished }) =>
    copies('docker', 'host' in found ? found.host : null, onTestFinished),
  );

  it('in the place of the original touches none of its programs', async ({ onTestFinished }) => {
    const base = tempDir('platform-copy-');
    const host = hostOn(join(base, 'data'), null, onTestFinished);
    const kept = join(base, 'kept');
    await host.start();
    const { bot_id: id } = await deployTiny(host, { name: 'renamed', runtime: 'nodejs24', bot: BOT });
    await lineUntil(host, id, 'up');
    const running = await sorted(host);
    await host.kill();
    renameSync(host.dataDir, kept);
    copyFolder(kept, host.dataDir);
    await host.start();
    expect(await placeOf(host)).toMatchObject({ state: 'copied', waiting: 1 });
    expect(await refusal(host, MOVED)).toBe('409 COPIED');
    expect(await sorted(host)).toEqual(running);
    await host.kill();
    removeDir(host.dataDir);
    // The folder of before in its place again is no copy.
    renameSync(kept, host.dataDir);
    await host.start();
    expect(await placeOf(host)).toMatchObject({ state: 'here' });
    expect(await sorted(host)).toEqual(running);
    expect(await botOf(host, id)).toMatchObject({ status: 'running', restarts: 0 });
  });

  it('of which the original is renamed goes on without a question', async ({ onTestFinished }) => {
    const base = tempDir('platform-copy-');
    const host = hostOn(join(base, 'data'), null, onTestFinished);
    await host.start();
    const { bot_id: id } = await deployTiny(host, { name: 'moves', runtime: 'nodejs24', bot: BOT });
    await host.stop();
    renameSync(host.dataDir, join(base, 'elsewhere'));
    const renamed = hostOn(join(base, 'elsewhere'), null, onTestFinished);
    await renamed.start();
    expect(await placeOf(renamed)).toMatchObject({ state: 'here', waiting: 0 });
    await lineUntil(renamed, id, 'up');
  });
});

describe.skipIf(inContainer() !== null || whyNoNamespaces() !== null)('a folder that comes to another machine', () => {
  it('waits there until a person says that it has moved, and on the way back as well', async ({ onTestFinished }) => {
    const ids = ['a', 'b'].map((name) => {
      const file = join(tempDir(), name);
      writeFileSync(file, `${randomBytes(16).toString('hex')}\n`);
      return file;
    });
    const host = hostOn(tempDir('platform-moved-'), null, onTestFinished);
    host.within = onMachine(ids[0] ?? '');
    await host.start();
    const { bot_id: id } = await deployTiny(host, { name: 'moved', runtime: 'nodejs24', bot: BOT });
    await lineUntil(host, id, 'up');
    for (let round = 0; round < ROUNDS; round++) {
      const label = `round ${round}`;
      // The power goes: programs end with the machine. Or the host is stopped and its bots are left.
      await host.kill();
      const isLeft = round % 2 === 1;
      if (!isLeft) await endPrograms(host);
      host.within = onMachine(ids[(round + 1) % 2] ?? '');
      await host.start();
      expect(await placeOf(host), label).toMatchObject({ state: 'copied', waiting: 1 });
      expect(await botOf(host, id), label).toMatchObject({ status: 'stopped', reason: { code: 'COPIED' } });
      if (isLeft) {
        expect(await refusal(host, MOVED), label).toBe('409 COPIED');
        await endPrograms(host);
      }
      expect(await programsOf(host), label).toEqual([]);
      expect(await call(host, 'POST', MOVED), label).toEqual({ started: 1 });
      await until('the program', async () => (await botOf(host, id)).status === 'running');
      // A start on the same machine asks nothing.
      await host.kill();
      await host.start();
      expect(await placeOf(host), label).toMatchObject({ state: 'here', waiting: 0 });
      expect(await botOf(host, id), label).toMatchObject({ status: 'running', restarts: 0 });
    }
    await prove('R20', 'A folder comes to another machine, and back; each time a person says that it has moved', {
      moves: ROUNDS,
      'bots that started unasked': 0,
      'two programs of a bot at once': 0,
    });
  });
});
