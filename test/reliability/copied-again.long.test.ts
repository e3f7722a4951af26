import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import type { HostInfo } from '../../src/contract/host.ts';
import { STILL_MS } from '../../src/node/heartbeat.ts';
import { inContainer } from '../../src/node/machine-id.ts';
import { AS_PROCESS_1, whyNoNamespaces } from '../support/namespaces.ts';
import { endOf, killAll, procText, programsOf, TestHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { call, deployTiny, lineUntil } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const MOVED = '/api/v1/host/moved-here';
const BOT = `
console.log('up as ' + process.env.RUN_ID);
setInterval(() => {}, 60_000);`;

type Finish = TestContext['onTestFinished'];

const placeOf = async (host: TestHost) => (await call<HostInfo>(host, 'GET', '/api/v1/host')).place;
const botOf = (host: TestHost, id: string) => call<Bot>(host, 'GET', `/api/v1/bots/${id}`);

function hostOn(dir: string, onTestFinished: Finish): TestHost {
  const host = new TestHost(dir);
  // `unshare` passes no signal on: only its end ends what is in it.
  onTestFinished(() => (host.within.length === 0 ? endOf(host) : host.kill()), 180_000);
  return host;
}

/** A host with a bot that runs, and what makes hosts on copies beside its folder. */
async function original(onTestFinished: Finish) {
  const base = tempDir('platform-copied-again-');
  const host = hostOn(join(base, 'first'), onTestFinished);
  await host.start();
  const { bot_id: id } = await deployTiny(host, { name: 'trader', runtime: 'nodejs24', bot: BOT });
  await lineUntil(host, id, 'up as');
  const copyOf = (from: TestHost, name: string): TestHost => {
    const dir = join(base, name);
    execFileSync('cp', ['-a', from.dataDir, dir], { stdio: 'pipe' });
    return hostOn(dir, onTestFinished);
  };
  return { base, host, id, copyOf };
}

/** That the folder has moved here is refused: status, code and message. */
async function refusal(host: TestHost): Promise<string> {
  const response = await host.fetch(MOVED, { method: 'POST' });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  return `${response.status} ${error?.code} ${error?.message}`;
}

const pathsOf = async (host: TestHost): Promise<string[]> => ((await placeOf(host)).from ?? []).map(({ path }) => path);

/** The one step is taken, and the bot runs. */
async function movesHere(host: TestHost, id: string): Promise<void> {
  expect(await call(host, 'POST', MOVED)).toEqual({ started: 1 });
  await until('the bot', async () => (await botOf(host, id)).status === 'running');
  // A pid namespace has no identity that stays.
  const state = host.within.length === 0 ? 'here' : 'unproved';
  expect(await placeOf(host)).toMatchObject({ state, from: null, waiting: 0 });
}

/** All that lies in a folder, with times: a mere check changes none of it. */
const listing = (dir: string): string[] =>
  readdirSync(dir).map((name) => {
    const { ino, size, mode, mtimeMs } = statSync(join(dir, name));
    // The heartbeat and the log go on by themselves.
    return /^host\.(beat|log)$|-wal$|-shm$/.test(name) ? name : `${name} ${ino} ${size} ${mode} ${mtimeMs}`;
  });

describe.skipIf(inContainer() !== null)('a copy', () => {
  it('of a copy that nobody has confirmed starts no bot while any place before it is in use', async ({
    onTestFinished,
  }) => {
    const { host, id, copyOf } = await original(onTestFinished);
    const second = copyOf(host, 'second');
    await second.start();
    await second.stop();
    const third = copyOf(second, 'third');
    await third.start();
    expect(await refusal(third)).toContain(`409 HOST_RUNNING A host still runs on the original folder ${host.dataDir}`);
    expect(await pathsOf(third)).toEqual([host.dataDir, second.dataDir]);
    await host.stop();
    await second.start();
    expect(await refusal(third)).toContain(
      `409 HOST_RUNNING A host still runs on the original folder ${second.dataDir}`,
    );
    await second.stop();
    expect(await programsOf(third)).toEqual([]);
    await movesHere(third, id);
    // From here on it is an original itself: of what was confirmed nothing is asked again.
    const fourth = copyOf(third, 'fourth');
    await fourth.start();
    expect(await pathsOf(fourth)).toEqual([third.dataDir]);
  });

  it('starts no bot while a program of the original runs that began after it was made', async ({ onTestFinished }) => {
    const { host, id, copyOf } = await original(onTestFinished);
    const copy = copyOf(host, 'copy');
    await call(host, 'POST', `/api/v1/bots/${id}/stop`);
    await call(host, 'POST', `/api/v1/bots/${id}/start`);
    await until('the next run', async () => (await botOf(host, id)).status === 'running');
    await host.kill();
    await copy.start();
    const before = listing(host.dataDir);
    expect(await refusal(copy)).toMatch(/^409 COPIED Programs of these bots run .*: trader$/);
    expect(listing(host.dataDir)).toEqual(before);
    const programs = await programsOf(host);
    killAll(programs);
    // A program that is ending has no environment any more, and is there for a moment yet.
    await until('the end of the program', () =>
      programs.every((pid) => /^(\d+ \(.*\) [ZX]|$)/s.test(procText(pid, 'stat'))),
    );
    await movesHere(copy, id);
  });

  it('is in use at its old path as well, where a link leads from there', async ({ onTestFinished }) => {
    const { host, id, copyOf } = await original(onTestFinished);
    await host.stop();
    const moved = copyOf(host, 'moved');
    rmSync(host.dataDir, { recursive: true });
    symlinkSync(moved.dataDir, host.dataDir);
    await moved.start();
    expect(await pathsOf(moved)).toEqual([]);
    await movesHere(moved, id);
  });

  it.for([
    ['before a host was started on it', false],
    ['after a host was started on it', true],
  ] as const)('into which a backup is restored waits as before: %s', async ([, wasStarted], { onTestFinished }) => {
    const { base, host, id, copyOf } = await original(onTestFinished);
    const file = join(base, 'all.tar.gz');
    await host.json('backup', '--out', file);
    const copy = copyOf(host, 'copy');
    if (wasStarted) {
      await copy.start();
      await copy.stop();
    }
    const restored = await copy.cli('restore', file, '--start-bots', '-y');
    expect(restored.code, restored.stderr).toBe(0);
    expect(restored.stdout).toContain('moved-here');
    await copy.start();
    expect(await botOf(copy, id)).toMatchObject({ status: 'stopped', reason: { code: 'COPIED' } });
    expect(await programsOf(copy)).toEqual([]);
    expect(await pathsOf(copy)).toEqual([host.dataDir]);
    expect(await refusal(copy)).toContain('409 HOST_RUNNING');
    await host.kill();
    expect(await refusal(copy)).toContain('409 COPIED');
    await host.start();
    await until('the bot of the original', async () => (await botOf(host, id)).status === 'running');
    await host.stop();
    await movesHere(copy, id);
  });
});

describe.skipIf(inContainer() !== null || whyNoNamespaces() !== null)('a copy in a pid namespace of its own', () => {
  it('starts no bot while a host that it cannot see holds the lock of the original', async ({ onTestFinished }) => {
    const { host, id, copyOf } = await original(onTestFinished);
    const copy = copyOf(host, 'copy');
    copy.within = AS_PROCESS_1;
    await copy.start();
    const before = listing(host.dataDir);
    expect(await refusal(copy)).toContain(`409 HOST_RUNNING A host still runs on the original folder ${host.dataDir}`);
    expect(listing(host.dataDir)).toEqual(before);
    await host.stop();
    await movesHere(copy, id);
  });

  it('starts no bot while a heartbeat in the original moves that comes from elsewhere', async ({ onTestFinished }) => {
    const { host, id, copyOf } = await original(onTestFinished);
    const beat = join(host.dataDir, 'host.beat');
    const own = JSON.parse(readFileSync(beat, 'utf8'));
    const copy = copyOf(host, 'copy');
    await host.stop();
    copy.within = AS_PROCESS_1;
    await copy.start();
    let beats = 0;
    const write = (): void =>
      writeFileSync(
        beat,
        JSON.stringify({
          ...own,
          machine: 'm',
          boot: 'b',
          hostname: 'there',
          pid: 7,
          lockedLocally: false,
          beats: beats++,
        }),
      );
    write();
    const timer = setInterval(write, 500);
    onTestFinished(() => clearInterval(timer));
    expect(await refusal(copy)).toMatch(/^409 HOST_RUNNING .* \(on there, process 7 there\)$/);
    clearInterval(timer);
    const begun = performance.now();
    await movesHere(copy, id);
    expect(performance.now() - begun).toBeLessThan(3 * STILL_MS);
  });

  it('that was started outside of it before is still a copy of the original, and not of itself', async ({
    onTestFinished,
  }) => {
    const { host, id, copyOf } = await original(onTestFinished);
    const copy = copyOf(host, 'copy');
    await copy.start();
    await copy.stop();
    copy.within = AS_PROCESS_1;
    await copy.start();
    expect(await refusal(copy)).toContain(`409 HOST_RUNNING A host still runs on the original folder ${host.dataDir}`);
    expect(await pathsOf(copy)).toEqual([host.dataDir]);
    await host.stop();
    await movesHere(copy, id);
  });
});
