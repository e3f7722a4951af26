import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, type TestContext } from 'vitest';
import { openWindow } from '../../../src/cli/open-window.ts';
import type { DesktopChange } from '../../../src/contract/desktop-bridge.ts';
import { openDataFolder } from '../../../src/node/data-folder.ts';
import { acquireLock } from '../../../src/node/pid-lock-file.ts';
// Brings the type of `window.desktop`.
import type {} from '../../../src/renderer/data/desktop.ts';
import { KEY_PLACEHOLDER } from '../../../src/shared/assistants.ts';
import { CHROMIUM } from '../../support/browser.ts';
import {
  type DesktopApp,
  desktopApp,
  ELECTRON,
  environment,
  homeOf,
  PROGRAM,
  startAgain,
  startEnds,
} from '../../support/desktop.ts';
import { exists, killAll, pidsUnder, ROOT, testHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { botUntil, call, deployTiny, getBot } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const RUNS = { name: 'runs', bot: 'setInterval(() => undefined, 1000);' };
const FAILS = { name: 'fails', bot: "console.error('no luck'); process.exit(3);" };

const QUIET = { ...FAILS, name: 'quiet' };

const hostOf = (page: Page) => page.evaluate(() => window.desktop?.host());

/** What the main process knows of its one page. */
const textOf = (app: DesktopApp): Promise<string> =>
  app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    return window === undefined ? '' : window.webContents.executeJavaScript('document.body.innerText');
  });

const addressOf = (app: DesktopApp): Promise<string> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getURL() ?? '');

/** All that a page of the window has beyond one of a browser. */
const BRIDGE = ['change', 'chooseFolder', 'host', 'onHost', 'onSettings', 'settings', 'startHost'];

const closeWindow = (app: DesktopApp): Promise<void> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());

/** Goes to a place of the dashboard as a link of it does. */
const goTo = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => window.history.pushState(null, '', to), path);

/** What the policy of the page refuses of all that a text of a bot could try, by the names of its rules. */
async function refusedByPolicy(): Promise<string[]> {
  const refused = new Set<string>();
  const script = document.createElement('script');
  script.textContent = 'window.wasRun = true';
  const image = new Image();
  image.src = 'https://evil.example/x.png';
  const frame = document.createElement('iframe');
  frame.src = 'https://evil.example/';
  await new Promise<void>((resolve) => {
    // A permission that is not refused causes no event.
    setTimeout(resolve, 10_000);
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
      refused.add(effectiveDirective);
      if (refused.size === 4) resolve();
    });
    document.body.append(script, image, frame);
    void fetch('https://evil.example/').catch(() => undefined);
  });
  for (const one of [script, image, frame]) one.remove();
  return [...refused, ...('wasRun' in window ? ['nothing: the script ran'] : [])].sort();
}

/** Settings of the app, as its page sees and changes them: each is what the system has, and nothing else passes. */
async function checkSettings(app: DesktopApp, page: Page): Promise<void> {
  const home = homeOf(app.dataDir);
  const change = (asked: object) =>
    page.evaluate((one) => window.desktop?.change(one as DesktopChange).catch(String), asked);
  await goTo(page, '/settings/desktop');
  // Elsewhere the system itself would be changed.
  if (process.platform === 'linux') {
    const login = page.getByRole('switch', { name: 'Start at login' });
    expect(await login.isChecked()).toBe(false);
    await login.click();
    await until('the switch to show it', () => login.isChecked());
    const entry = join(home, '.config/autostart/bot-platform.desktop');
    expect(readFileSync(entry, 'utf8')).toContain(`"--hidden" "--" "--data" "${app.dataDir}"\n`);
    // As the settings of a desktop switch it off.
    writeFileSync(entry, 'Hidden=true\n');
    expect(await page.evaluate(() => window.desktop?.settings())).toMatchObject({ starts_at_login: false });
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).waitFor();
    expect(existsSync(join(home, '.local/bin/platform'))).toBe(true);
  }
  // A listener gets the present state, and nothing to reach the app with.
  const told = page.evaluate(
    () => new Promise<unknown[]>((resolve) => window.desktop?.onSettings((...args) => resolve(args))),
  );
  expect(await change({ notifications: false })).toMatchObject({ settings: { notifications: false }, problem: null });
  expect(await told).toEqual([await page.evaluate(() => window.desktop?.settings())]);
  await until(
    'the page to hear of it',
    async () => !(await page.getByRole('switch', { name: 'Notifications' }).isChecked()),
  );
  for (const wrong of [{ command: 'rm -rf' }, { command: true, more: 1 }, { update: 'run' }, {}]) {
    expect(await change(wrong)).toMatch(/invalid|unrecognized/i);
  }
}

/** A host of which no more works than the test lets work, on a folder of its own. */
async function brokenHost(onTestFinished: TestContext['onTestFinished']) {
  const answers = new Map([['/api/v1/auth', '{}']]);
  const server = createServer((request, answer) => {
    const known = answers.get(request.url ?? '');
    if (known !== undefined) answer.end(known);
    else if (request.url === '/') request.socket.destroy();
    else answer.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const folder = openDataFolder(tempDir());
  const lock = await acquireLock(folder.lockFile);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    lock.release();
  });
  const url = `http://127.0.0.1:${port}`;
  const discovery = { url, port, pid: process.pid, started_at: new Date().toISOString(), version: '1.0.0', token: 'x' };
  writeFileSync(folder.hostFile, JSON.stringify(discovery));
  return { answers, url, dataDir: folder.root };
}

/** Emits events at the app that a page cannot cause in a test, and returns whether each was prevented. */
const whatIsPrevented = ({ BrowserWindow }: typeof Electron.CrossProcessExports, own: string) => {
  const contents = BrowserWindow.getAllWindows()[0]?.webContents;
  const tried = (name: string, url: string, isMainFrame: boolean): boolean => {
    let isPrevented = false;
    const preventDefault = (): void => {
      isPrevented = true;
    };
    contents?.emit(name, { url, isMainFrame, preventDefault }, url);
    return isPrevented;
  };
  return {
    'a redirect elsewhere': tried('will-redirect', 'https://evil.example/', true),
    'a frame elsewhere': tried('will-frame-navigate', 'https://evil.example/', false),
    'an embedded view': tried('will-attach-webview', own, true),
    'a redirect within': tried('will-redirect', `${own}/deploy`, true),
  };
};

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
      ).toEqual({ keys: BRIDGE, frozen: true, globals: [], cookie: '' });
      const cookies = await app.evaluate(
        async ({ session }, origin) =>
          (await session.defaultSession.cookies.get({ url: origin })).map(({ httpOnly, sameSite }) => ({
            httpOnly,
            sameSite,
          })),
        url,
      );
      expect(cookies).toEqual([{ httpOnly: true, sameSite: 'strict' }]);
      // Cookies and drafts belong to this user alone.
      if (process.platform !== 'win32') expect(statSync(join(app.dataDir, 'desktop')).mode & 0o077).toBe(0);
      const asked = ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read'];
      const states = page.evaluate(
        (names) =>
          Promise.all(
            names.map(async (name) => (await navigator.permissions.query({ name: name as PermissionName })).state),
          ),
        asked,
      );
      expect(await states).toEqual(asked.map(() => 'denied'));
      expect(await page.evaluate(refusedByPolicy)).toEqual(['connect-src', 'frame-src', 'img-src', 'script-src-elem']);

      await checkSettings(app, page);

      await goTo(page, '/editor');
      const form = page.getByRole('form', { name: 'Open a folder' });
      const [folder, choose] = [form.getByRole('textbox'), form.getByRole('button', { name: 'Choose a folder' })];
      await folder.fill('/bots/typed');
      await choose.click();
      expect(await page.evaluate(() => window.desktop?.chooseFolder())).toBeNull();
      expect(await folder.inputValue()).toBe('/bots/typed');
      await app.evaluate(({ dialog }) => {
        dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: ['/bots/mine'] });
      });
      await choose.click();
      await expect.poll(() => folder.inputValue()).toBe('/bots/mine');

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
      expect(await addressOf(app)).toBe(before);
      await page.evaluate(() => window.open('http://nodejs.org/'));
      await until('an address without encryption to be refused', async () => (await app.seen()).asked.length === 2);
      // A link of ours that starts another program does so after a question; one that a bot wrote is only shown.
      const install = (server: string) =>
        `cursor://anysphere.cursor-deeplink/mcp/install?name=bot-platform&config=${encodeURIComponent(btoa(JSON.stringify({ url: server, headers: { 'x-api-key': KEY_PLACEHOLDER } })))}`;
      for (const address of [install('http://evil.example/mcp'), install(`${url}/mcp`)]) {
        const { length } = (await app.seen()).asked;
        await page.evaluate((href) => {
          window.location.href = href;
        }, address);
        await until('the question', async () => (await app.seen()).asked.length > length);
      }
      expect((await app.seen()).asked.slice(2).map(({ message }) => message)).toEqual([
        'This link is not opened',
        'Open Cursor?',
      ]);
      // The commands of the page without a host are not the dashboard's.
      await page.evaluate(() => {
        window.location.href = 'https://action.invalid/quit';
      });
      await until('the command to be refused', async () => (await app.seen()).asked.length === 5);
      expect(await app.evaluate(whatIsPrevented, url)).toEqual({
        'a redirect elsewhere': true,
        'a frame elsewhere': true,
        'an embedded view': true,
        'a redirect within': false,
      });
      expect((await app.seen()).opened).toHaveLength(1);
      expect(page.url()).toBe(before);
      expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);

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

    it('asks before unsaved changes are lost, and loses no text of the editor', async ({ onTestFinished }) => {
      const app = await desktopApp(onTestFinished);
      let page = await app.dashboard();
      const dir = join(tempDir(), 'crosser');
      await goTo(page, '/editor');
      const form = page.getByRole('form', { name: 'New project' });
      await form.getByRole('textbox', { name: 'Name' }).fill('crosser');
      await form.getByRole('combobox', { name: 'Language' }).selectOption('node');
      await form.getByRole('textbox', { name: 'Folder' }).fill(dir);
      await form.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('treeitem', { name: 'bot.mjs' }).click();
      const text = (of: Page) => of.locator('.monaco-editor .view-lines').first();
      await text(page).getByText('import').first().waitFor();
      const project = new URL(page.url()).pathname;
      await text(page).click();
      await page.keyboard.press('Control+Home');
      await page.keyboard.insertText('// not saved yet ');
      // The page keeps its own texts: no question, even right after the last letter.
      await closeWindow(app);
      await until('the window to close', () =>
        app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length === 0),
      );
      expect((await app.seen()).asked).toEqual([]);
      page = await app.dashboardAfter(() => app.clickTray('open'));
      await goTo(page, project);
      await text(page).getByText('not saved yet').waitFor();

      const { bot_id } = await deployTiny(app, {
        ...RUNS,
        schema: { type: 'object', properties: { pace: { type: 'string' } } },
      });
      await goTo(page, `/bots/${bot_id}/config`);
      const field = page.getByRole('textbox', { name: 'pace' });
      await field.click();
      await page.keyboard.type('typed');
      await app.answer(1);
      const stays = async (what: string, asked: number) => {
        const seen = await until(what, async () => {
          const all = (await app.seen()).asked;
          return all.length === asked ? all.at(-1) : null;
        });
        expect([what, seen.message, seen.buttons]).toEqual([what, 'Leave without saving?', ['Leave', 'Stay']]);
        const open = await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
        expect([what, open]).toEqual([what, 1]);
        expect(await field.evaluateAll((all) => all.map((one) => 'value' in one && one.value))).toEqual(['typed']);
      };
      await closeWindow(app);
      await stays('the window to ask before it closes', 1);
      expect(await startAgain(app.dataDir, 'platform://fleet')).toBe(0);
      await stays('a link to ask before it leads away', 2);
      // First the question about bots, then the one about typed text.
      await app.answer(0, 1);
      await app.quit();
      await stays('the app to ask before it ends', 4);
      expect((await app.seen()).asked[2]?.message).toMatch(/^Quit Bot Platform/);
      // It has not begun to end: it asks again.
      await app.answer(2);
      await app.quit();
      const anew = await until('the app to ask anew', async () => (await app.seen()).asked[4]);
      expect(anew.message).toMatch(/^Quit Bot Platform/);
      expect((await getBot(app, bot_id)).status).toBe('running');
      await app.answer(0);
      await app.quit();
      expect(await app.ended()).toBe(0);
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
      // A link opened while no host runs leads there once one does.
      await app.evaluate(({ app: own }) => own.emit('second-instance', {}, ['electron', 'platform://settings']));
      await until('another host', async () => {
        const state = await hostOf(page).catch(() => null);
        return state?.at === 'running' && state.pid !== before.pid;
      });
      await until('the place', async () => (await addressOf(app)).includes('/settings'));
      // The same program in the same run: it was taken over, not started again.
      expect((await botUntil(app, bot_id, 'the bot', ({ status }) => status === 'running')).run_id).toBe(run_id);
      expect(exists(program)).toBe(true);

      const { pid } = app.discovery;
      await app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
      );
      await until('the page to be there again', async () => /Settings/.test(await textOf(app).catch(() => '')));
      expect(app.discovery.pid).toBe(pid);
      expect(exists(program)).toBe(true);

      // A shutdown of the system waits for the host and its bots, and a Quit meanwhile cuts nothing off.
      const isHeld = app.evaluate(({ app: own, powerMonitor }) => {
        let held = false;
        const preventDefault = (): void => {
          held = true;
        };
        powerMonitor.emit('shutdown', { preventDefault });
        setImmediate(() => own.quit());
        return held;
      });
      expect(await isHeld).toBe(true);
      expect(await app.ended()).toBe(0);
      expect([pidsUnder(app.dataDir), existsSync(join(app.dataDir, 'host.json'))]).toEqual([[], false]);
    });

    it('shows why it cannot show the dashboard, and opens it once it can', async ({ onTestFinished }) => {
      const host = await brokenHost(onTestFinished);
      const app = await desktopApp(onTestFinished, host.dataDir);
      const says = (what: RegExp) =>
        until(`the window to say ${what}`, async () => what.test(await textOf(app).catch(() => '')));
      const retry = () =>
        app.evaluate(({ BrowserWindow }) =>
          BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript("document.querySelector('a').click()"),
        );
      await says(/The dashboard could not be opened\s+The host answered 500 to auth.link/);
      const isVisible = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible());
      await until('the window to be shown', isVisible);
      const enter = { token: 'session', expires_at: new Date(Date.now() + 60_000).toISOString(), user: {} };
      host.answers.set('/api/v1/auth/link', JSON.stringify({ url: `${host.url}/#enter=ticket` }));
      host.answers.set('/api/v1/auth/enter', JSON.stringify(enter));
      await retry();
      await says(/could not be opened\s+ERR_EMPTY_RESPONSE/);
      host.answers.set('/', '<title>dashboard</title><p>It is here');
      await retry();
      await says(/It is here/);
    });

    it('says why it cannot start, and does not stay there unseen', async () => {
      const file = join(tempDir(), 'a file');
      writeFileSync(file, '');
      const { code, said } = await startEnds(file, environment(tempDir()));
      expect([code, said]).toEqual([1, expect.stringMatching(/could not start: The data folder .* cannot be used/)]);
      expect(said).not.toMatch(/^\s+at /m);
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
      const again = {
        program: PROGRAM,
        args: [ROOT],
        dataDir: host.dataDir,
        flags: [],
        env: environment(host.dataDir),
      };
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

      // A bot that its owner has muted fails in silence.
      const quiet = await deployTiny(app, QUIET, { enabled: false });
      await call(app, 'PATCH', '/api/v1/preferences', { muted_bots: [quiet.bot_id] });
      await call(app, 'POST', `/api/v1/bots/${quiet.bot_id}/start`, {});
      const failing = await deployTiny(app, FAILS);
      // They need attention once they have failed three times.
      await until('the tray to count them', async () => /2 need you/.test((await app.seen()).toolTip));
      await until('word of one', async () => (await app.seen()).told.some(({ title }) => title === 'fails failed'));
      const notice = (await app.seen()).told.find(({ title }) => title === 'fails failed');
      expect(notice?.body).toMatch(/3/);
      expect((await app.seen()).told.filter(({ title }) => title === 'quiet failed')).toEqual([]);
      await app.clickNotice('fails failed');
      await until('the page of the bot', async () => (await addressOf(app)).endsWith(`/bots/${failing.bot_id}`));
      for (const { bot_id: gone } of [failing, quiet]) await call(app, 'DELETE', `/api/v1/bots/${gone}`);

      // A bot that is being deleted runs until its program has ended, and the question counts it until then.
      await app.answer(2);
      const asked = await until('the question for the one that is left', async () => {
        await app.quit();
        return (await app.seen()).asked.find(({ message }) => message === 'Quit Bot Platform? 1 bot runs.');
      });
      expect(asked.buttons).toEqual(['Stop bots and quit', 'Quit, bots go on', 'Cancel']);
      expect((await app.seen()).toolTip).toMatch(/ 1 running$/);
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
      await until('the tray to offer no more to stop', async () => !(await next.trayOffers('stop-all')));
      await until('its program to end', () => !exists(program));
      const { hold } = await getBot(next, bot_id);
      await call(next, 'POST', `/api/v1/bots/${bot_id}/start`, { release: hold?.hold_id });
      await botUntil(next, bot_id, 'the bot to run again', ({ status }) => status === 'running');
      const [again = 0] = pidsUnder(app.dataDir);
      await until('the tray to know that', async () => /1 running/.test((await next.seen()).toolTip));
      await next.quit();
      expect(await next.ended()).toBe(0);
      expect(exists(again)).toBe(false);
    });
  },
);
