import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openWindow } from '../../../src/cli/open-window.ts';
// Brings the type of `window.desktop`.
import type {} from '../../../src/renderer/data/desktop.ts';
import { CHROMIUM } from '../../support/browser.ts';
import { type DesktopApp, desktopApp, ELECTRON, environment, PROGRAM, startAgain } from '../../support/desktop.ts';
import { exists, killAll, pidsUnder, ROOT, testHost } from '../../support/platform.ts';
import { botUntil, call, deployTiny, getBot } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const RUNS = { name: 'runs', bot: 'setInterval(() => undefined, 1000);' };
const FAILS = { name: 'fails', bot: "console.error('no luck'); process.exit(3);" };

const hostOf = (page: Page) => page.evaluate(() => window.desktop?.host());

/** What the main process knows of its one page. */
const textOf = (app: DesktopApp): Promise<string> =>
  app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    return window === undefined ? '' : window.webContents.executeJavaScript('document.body.innerText');
  });

const addressOf = (app: DesktopApp): Promise<string> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getURL() ?? '');

// The real one as root needs a switch that `platform start` never gives.
const mayStart = !ELECTRON.isReal || process.getuid?.() !== 0;

describe.skipIf(!ELECTRON.isReal && CHROMIUM === null)(
  `the desktop app (${ELECTRON.isReal ? 'Electron' : 'the double of Electron'})`,
  () => {
    it('opens the dashboard logged in, in a page that reaches nothing but its host', async ({ onTestFinished }) => {
      const app = await desktopApp(onTestFinished);
      const page = await app.dashboard();
      const { url, pid } = app.discovery;
      expect(new URL(page.url()).origin).toBe(url);
      expect(await hostOf(page)).toEqual({ at: 'running', own: true, pid });

      expect(
        await page.evaluate(() => ({
          keys: Object.keys(window.desktop ?? {}).sort(),
          frozen: Object.isFrozen(window.desktop),
          globals: ['require', 'process', 'module', 'ipcRenderer', 'Buffer'].filter((name) => name in window),
          cookie: document.cookie,
        })),
      ).toEqual({ keys: ['chooseFolder', 'host', 'onHost', 'startHost'], frozen: true, globals: [], cookie: '' });
      const asked = ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read'];
      const states = page.evaluate(
        (names) =>
          Promise.all(
            names.map(async (name) => (await navigator.permissions.query({ name: name as PermissionName })).state),
          ),
        asked,
      );
      expect(await states).toEqual(asked.map(() => 'denied'));
      const policy = page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'window.wasRun = true';
        document.head.append(script);
        return 'wasRun' in window;
      });
      expect(await policy).toBe(false);

      const before = page.url();
      await page.evaluate(() => window.open('https://nodejs.org/en'));
      await until('a known site to be opened', async () => (await app.seen()).opened.length > 0);
      expect((await app.seen()).opened).toEqual(['https://nodejs.org/en']);
      await app.answer(1);
      await page.evaluate(() => {
        window.location.href = 'https://evil.example/';
      });
      const refused = await until('an unknown site to be refused', async () => (await app.seen()).asked[0]);
      expect(refused).toMatchObject({
        message: 'This link is not opened',
        detail: expect.stringContaining('https://evil.example/'),
      });
      await page.evaluate(() => window.open('http://nodejs.org/'));
      await until('an address without encryption to be refused', async () => (await app.seen()).asked.length === 2);
      expect((await app.seen()).opened).toHaveLength(1);
      expect(page.url()).toBe(before);
      expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);

      await app.evaluate(({ dialog }) => {
        dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: ['/bots/mine'] });
      });
      expect(await page.evaluate(() => window.desktop?.chooseFolder())).toBe('/bots/mine');
      // A page of another origin has the bridge too, and gets no answer from it.
      const stranger = app.evaluate(async ({ BrowserWindow }) => {
        const [window] = BrowserWindow.getAllWindows();
        await window?.loadURL('data:text/html,<p>not the dashboard');
        return window?.webContents.executeJavaScript('window.desktop.chooseFolder().then(() => "told", String)');
      });
      expect(await stranger).toContain('desktop:choose-folder is not for this page');

      await app.quit();
      expect(await app.ended()).toBe(0);
      expect(exists(pid)).toBe(false);
      expect(existsSync(join(app.dataDir, 'host.json'))).toBe(false);
    });

    it('starts a host that died again, says so meanwhile, and loads a page that died again', async ({
      onTestFinished,
    }) => {
      const app = await desktopApp(onTestFinished);
      const page = await app.dashboard();
      const { bot_id } = await deployTiny(app, RUNS);
      await botUntil(app, bot_id, 'the bot to run', ({ status }) => status === 'running');
      const [program = 0] = pidsUnder(app.dataDir);
      const before = app.discovery;
      const { run_id } = await getBot(app, bot_id);

      killAll([before.pid]);
      await page.getByText('Its process ended unexpectedly').waitFor();
      expect(exists(program)).toBe(true);
      await until('another host', async () => {
        const state = await hostOf(page);
        return state?.at === 'running' && state.pid !== before.pid;
      });
      // The same program in the same run: it was taken over, not started again.
      expect((await botUntil(app, bot_id, 'the bot', ({ status }) => status === 'running')).run_id).toBe(run_id);
      expect(exists(program)).toBe(true);

      const { pid } = app.discovery;
      await app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
      );
      await until('the page to be there again', async () => /Fleet/.test(await textOf(app).catch(() => '')));
      expect(app.discovery.pid).toBe(pid);
      expect(exists(program)).toBe(true);
    });

    it('is there once: a second start hands its link over, and a link does nothing but lead somewhere', async ({
      onTestFinished,
    }) => {
      const app = await desktopApp(onTestFinished);
      await app.dashboard();
      const { pid } = app.discovery;
      const { bot_id } = await deployTiny(app, RUNS);
      await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize());
      expect(await startAgain(app.dataDir, `platform://bot/${bot_id}/logs`)).toBe(0);
      await until('the page of the bot', async () => (await addressOf(app)).endsWith(`/bots/${bot_id}/logs`));
      expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMinimized())).toBe(false);
      expect(await startAgain(app.dataDir, `platform://bot/${bot_id}/../../api/v1/host/stop`)).toBe(0);
      expect(await addressOf(app)).toContain(`/bots/${bot_id}/logs`);
      expect(app.discovery.pid).toBe(pid);
    });

    it('joins a host that was started elsewhere, and leaves it and its bots alone', async ({ onTestFinished }) => {
      const host = await testHost(onTestFinished);
      const { bot_id } = await deployTiny(host, RUNS);
      await botUntil(host, bot_id, 'the bot to run', ({ status }) => status === 'running');
      const app = await desktopApp(onTestFinished, host.dataDir);
      const page = await app.dashboard();
      expect(await hostOf(page)).toEqual({ at: 'running', own: false, pid: host.pid });
      await host.kill();
      await page.getByText('It was started outside of this app and has ended.').waitFor();
      await host.start();
      await until('the app to join it again', async () => (await hostOf(page))?.at === 'running');
      const again = { program: PROGRAM, args: [ROOT], dataDir: host.dataDir, flags: [], env: environment() };
      if (mayStart) {
        const second = await openWindow({ ...again, signal: new AbortController().signal });
        expect(second).toEqual({ at: 'handed over' });
      }
      await app.quit();
      expect(await app.ended()).toBe(0);
      if (mayStart) {
        // As `platform start` opens it, and as Ctrl-C there ends it.
        const interrupt = new AbortController();
        const opened = await openWindow({ ...again, signal: interrupt.signal });
        if (opened.at !== 'open') throw new Error(JSON.stringify(opened));
        interrupt.abort();
        expect(await opened.ended).toBe(0);
      }
      expect((await getBot(host, bot_id)).status).toBe('running');
    });

    it('goes on without its window, tells of failures, and does with bots at its end what it says', async ({
      onTestFinished,
    }) => {
      const app = await desktopApp(onTestFinished);
      await app.dashboard();
      const { bot_id } = await deployTiny(app, RUNS);
      await botUntil(app, bot_id, 'the bot to run', ({ status }) => status === 'running');
      const [program = 0] = pidsUnder(app.dataDir);
      await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
      await until('word that it goes on', async () =>
        (await app.seen()).told.some(({ title }) => title === 'Bot Platform goes on without its window'),
      );

      const failing = await deployTiny(app, FAILS);
      await until('the tray to count it', async () => /1 running, 1 failing/.test((await app.seen()).toolTip));
      const notice = (await app.seen()).told.find(({ title }) => title === 'fails failed');
      expect(notice?.body).toMatch(/3/);
      await app.clickNotice('fails failed');
      await until('the page of the bot', async () => (await addressOf(app)).endsWith(`/bots/${failing.bot_id}`));
      await call(app, 'DELETE', `/api/v1/bots/${failing.bot_id}`);

      await until('the bot to be gone', async () => /1 running, 0 failing/.test((await app.seen()).toolTip));
      await app.answer(2);
      await app.quit();
      const asked = await until('the question', async () => (await app.seen()).asked[0]);
      expect(asked).toMatchObject({
        message: 'Quit Bot Platform? 1 bot runs.',
        buttons: ['Stop bots and quit', 'Quit, bots go on', 'Cancel'],
      });
      expect((await getBot(app, bot_id)).status).toBe('running');
      const { pid } = app.discovery;
      const { run_id } = await getBot(app, bot_id);
      await app.answer(1);
      await app.quit();
      expect(await app.ended()).toBe(0);
      expect(exists(pid)).toBe(false);
      expect(exists(program)).toBe(true);

      const next = await desktopApp(onTestFinished, app.dataDir);
      await next.dashboard();
      expect((await botUntil(next, bot_id, 'the bot', ({ status }) => status === 'running')).run_id).toBe(run_id);
      await until('the tray to know it', async () => /1 running/.test((await next.seen()).toolTip));
      await next.answer(0);
      await next.clickTray('stop-all');
      await botUntil(next, bot_id, 'the bot to stop', ({ status }) => status === 'stopped');
      await until('its program to end', () => !exists(program));
      await call(next, 'POST', `/api/v1/bots/${bot_id}/start`, {});
      await botUntil(next, bot_id, 'the bot to run again', ({ status }) => status === 'running');
      const [again = 0] = pidsUnder(app.dataDir);
      await until('the tray to know that', async () => /1 running/.test((await next.seen()).toolTip));
      await next.quit();
      expect(await next.ended()).toBe(0);
      expect(exists(again)).toBe(false);
    });
  },
);
