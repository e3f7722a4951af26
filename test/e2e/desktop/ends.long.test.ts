import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { lockHolder } from '../../../src/node/pid-lock-file.ts';
import { ELECTRON, type HiddenApp, hiddenApp, hostsOn } from '../../support/desktop.ts';
import { exists, killAll, pidsUnder, procText } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { botUntil, deployTiny, getBot, lineUntil } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const RUNS = { name: 'runs', bot: "console.log('up'); setInterval(() => undefined, 1000);" };

const hasDiscovery = (dataDir: string): boolean => existsSync(join(dataDir, 'host.json'));

/** A bot that runs, as it must be found again: the same run in the same processes. */
async function runningBot(app: HiddenApp) {
  const { bot_id } = await deployTiny(app, RUNS);
  const { run_id } = await botUntil(app, bot_id, 'the bot to run', ({ status }) => status === 'running');
  // It runs from the start of its launcher on: all its processes are there once it says something.
  await lineUntil(app, bot_id, 'up');
  return { bot_id, run_id, programs: pidsUnder(app.dataDir) };
}

/** An app on a folder of its own with a bot that runs. */
async function appWithBot(onTestFinished: TestContext['onTestFinished'], ...flags: string[]) {
  const dataDir = tempDir('platform-ends-');
  const app = await hiddenApp(onTestFinished, dataDir, { flags: ['--node', process.execPath, ...flags] }).ready();
  return { app, dataDir, bot: await runningBot(app) };
}

/** The next app on the folder; it must find the bot in the run in which it was left. */
async function takenOver(
  onTestFinished: TestContext['onTestFinished'],
  dataDir: string,
  { bot_id, run_id, programs }: Awaited<ReturnType<typeof runningBot>>,
): Promise<HiddenApp> {
  expect(programs.map(exists)).toEqual(programs.map(() => true));
  const app = await hiddenApp(onTestFinished, dataDir).ready();
  expect((await botUntil(app, bot_id, 'the bot', ({ status }) => status === 'running')).run_id).toBe(run_id);
  expect(pidsUnder(dataDir)).toEqual(programs);
  return app;
}

const hostsEnd = (dataDir: string) => until('the host to end', () => hostsOn(dataDir).length === 0);

describe(`how the desktop app and its host end (${ELECTRON.isReal ? 'Electron' : 'the double of Electron'})`, () => {
  it('the host is a plain Node apart from the app; it ends in order when the app is killed, and bots go on', async ({
    onTestFinished,
  }) => {
    const { app, dataDir, bot } = await appWithBot(onTestFinished);
    const { pid } = app.discovery;
    expect(hostsOn(dataDir)).toEqual([pid]);
    expect(procText(pid, 'cmdline').split('\0')[0]).toBe(process.execPath);
    // The leader of a group and session of its own, which no Ctrl-C and no closed terminal of the app reaches.
    const [, , group, session] = procText(pid, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    expect([group, session]).toEqual([pid, pid]);

    app.signal('SIGKILL');
    await hostsEnd(dataDir);
    expect(hasDiscovery(dataDir)).toBe(false);
    expect(readFileSync(join(dataDir, 'host.log'), 'utf8')).toContain('"message":"host stopping","leave":true');

    const second = await takenOver(onTestFinished, dataDir, bot);
    killAll([second.discovery.pid]);
    second.signal('SIGKILL');
    await hostsEnd(dataDir);
    await takenOver(onTestFinished, dataDir, bot);
  });

  it('leaves neither a host nor a bot alone, whenever it is killed while its host starts', async ({
    onTestFinished,
  }) => {
    const { app, dataDir, bot } = await appWithBot(onTestFinished);
    app.signal('SIGKILL');
    await hostsEnd(dataDir);
    const lock = join(dataDir, 'host.lock');
    const moments: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
      'its host begins': () => hostsOn(dataDir).length > 0,
      'its host holds the folder': async () => (await lockHolder(lock)) !== null,
      'its host becomes ready': () => hasDiscovery(dataDir),
    };
    for (const [moment, isThere] of Object.entries(moments)) {
      const next = hiddenApp(onTestFinished, dataDir);
      await until(moment, isThere);
      next.signal('SIGKILL');
      await hostsEnd(dataDir);
      expect([moment, hasDiscovery(dataDir), bot.programs.every(exists)]).toEqual([moment, false, true]);
    }
    await takenOver(onTestFinished, dataDir, bot);
  });

  it('two apps on two folders know nothing of each other', async ({ onTestFinished }) => {
    const one = await appWithBot(onTestFinished);
    const other = await appWithBot(onTestFinished);
    const { pid } = other.app.discovery;
    one.app.signal('SIGKILL');
    await hostsEnd(one.dataDir);
    expect(one.bot.programs.every(exists)).toBe(true);
    expect(other.app.discovery.pid).toBe(pid);
    expect(await getBot(other.app, other.bot.bot_id)).toMatchObject({ status: 'running', run_id: other.bot.run_id });
    other.app.signal('SIGTERM');
    expect(await other.app.ended()).toBe(0);
    expect([hostsOn(other.dataDir), pidsUnder(other.dataDir)]).toEqual([[], []]);
    expect(one.bot.programs.every(exists)).toBe(true);
  });

  it('Ctrl-C in its terminal stops the host and its bots in order, or leaves them where that was asked for', async ({
    onTestFinished,
  }) => {
    const usual = await appWithBot(onTestFinished);
    usual.app.interrupt();
    expect(await usual.app.ended()).toBe(0);
    expect([hostsOn(usual.dataDir), pidsUnder(usual.dataDir), hasDiscovery(usual.dataDir)]).toEqual([[], [], false]);

    const left = await appWithBot(onTestFinished, '--leave-bots');
    left.app.interrupt();
    expect(await left.app.ended()).toBe(0);
    expect([hostsOn(left.dataDir), hasDiscovery(left.dataDir)]).toEqual([[], false]);
    const next = hiddenApp(onTestFinished, left.dataDir);
    // While the host starts nobody can be asked about bots that it may have taken over: they go on.
    await until('the host to begin', () => hostsOn(left.dataDir).length > 0);
    next.interrupt();
    expect(await next.ended()).toBe(0);
    expect(hostsOn(left.dataDir)).toEqual([]);
    await takenOver(onTestFinished, left.dataDir, left.bot);
  });
});
