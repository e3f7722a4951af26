import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { type HostProcess, startHostProcess } from '../../src/node/host-process.ts';
import { exists, killAll, pidsUnder, ROOT } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { deployTiny, lineUntil } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const SERVE = join(ROOT, 'out/main/serve.js');
const FLAGS = ['--port', '0', '--engine', 'process'];
const WAITS_FOR_THE_END = 'while (process.connected) await new Promise((resolve) => setTimeout(resolve, 5));';
const RUNS = { name: 'runs', bot: "console.log('up'); setInterval(() => undefined, 1000);" };

/** A host of this process with a bot that runs, and the program of that bot. */
async function hostWithBot(onTestFinished: TestContext['onTestFinished'], ...flags: string[]) {
  const dataDir = tempDir('platform-parent-');
  const given = { node: process.execPath, serveFile: SERVE, dataDir, env: process.env, logFile: null };
  const host: HostProcess = await startHostProcess({ ...given, flags: [...FLAGS, ...flags] });
  onTestFinished(async () => {
    killAll([host.pid, ...pidsUnder(dataDir)]);
    await until('processes of the test to end', () => pidsUnder(dataDir).length === 0);
  });
  const { token } = JSON.parse(readFileSync(join(dataDir, 'host.json'), 'utf8'));
  const client = {
    fetch: (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers };
      return fetch(`${host.url}${path}`, { ...init, headers });
    },
  };
  const { bot_id } = await deployTiny(client, RUNS);
  await lineUntil(client, bot_id, 'up');
  return { host, dataDir, programs: pidsUnder(dataDir) };
}

describe('a host whose parent has gone', () => {
  it('stops with its bots, as after Ctrl-C', async ({ onTestFinished }) => {
    const { host, dataDir, programs } = await hostWithBot(onTestFinished);
    host.stop();
    expect(await host.exited).toMatchObject({ code: 0 });
    expect([programs.some(exists), existsSync(join(dataDir, 'host.json'))]).toEqual([false, false]);
  });

  it('leaves its bots where it was told to, and stops them all the same when a signal ends it', async ({
    onTestFinished,
  }) => {
    const left = await hostWithBot(onTestFinished, '--leave-bots-if-parent-dies');
    left.host.stop();
    expect(await left.host.exited).toMatchObject({ code: 0 });
    expect([left.programs.every(exists), existsSync(join(left.dataDir, 'host.json'))]).toEqual([true, false]);

    const ended = await hostWithBot(onTestFinished, '--leave-bots-if-parent-dies');
    process.kill(ended.host.pid, 'SIGTERM');
    expect(await ended.host.exited).toMatchObject({ code: 0 });
    expect(ended.programs.some(exists)).toBe(false);
  });

  it.for([
    ['while it begins', []],
    // As on a busy machine: nothing of the host is loaded before its parent has gone.
    ['before it begins', ['--import', `data:text/javascript,${encodeURIComponent(WAITS_FOR_THE_END)}`]],
  ] as const)('%s: it ends in order, though no one reads what it says', async ([, first], { onTestFinished }) => {
    const dataDir = tempDir('platform-parent-');
    const host = spawn(process.execPath, [...first, SERVE, '--data', dataDir, ...FLAGS], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    onTestFinished(() => void host.kill('SIGKILL'));
    const ended = new Promise((resolve) => host.once('exit', (code, signal) => resolve({ code, signal })));
    host.stdout?.destroy();
    host.stderr?.destroy();
    host.disconnect();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(existsSync(join(dataDir, 'control.db'))).toBe(true);
    expect(existsSync(join(dataDir, 'host.json'))).toBe(false);
  });
});

describe('startHostProcess', () => {
  const start = (node: string, serveFile: string, giveUp?: AbortSignal) =>
    startHostProcess({
      ...{ node, serveFile, dataDir: tempDir(), flags: [], env: process.env, logFile: null },
      ...(giveUp === undefined ? {} : { giveUp }),
    });

  it('says how a host ended that was never ready, and what it wrote last', async () => {
    const file = join(tempDir(), 'serve.js');
    await expect(start('/nowhere/node', file)).rejects.toThrow(/could not be started with \/nowhere\/node/);
    await expect(start(process.execPath, file)).rejects.toThrow(
      /before it was ready \(code 1\):[\s\S]*Cannot find module/,
    );
  });

  it('kills a host that is given up before it is ready', async () => {
    const giveUp = new AbortController();
    const started = start(process.execPath, SERVE, giveUp.signal);
    giveUp.abort();
    await expect(started).rejects.toThrow('before it was ready (SIGKILL)');
  });
});
