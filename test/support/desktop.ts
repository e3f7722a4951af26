import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import type { TestContext } from 'vitest';
import { exists, killAll, pidsUnder, procText, ROOT } from './platform.ts';
import { tempDir } from './temp.ts';
import { until } from './until.ts';

const DOUBLE = join(ROOT, 'test/support/electron-double');

/** The folder of the real Electron where its binary is there and a window can be shown; else that of our double. */
function electronHere(): { readonly dir: string; readonly isReal: boolean } {
  const dist = join(dirname(createRequire(import.meta.url).resolve('electron/package.json')), 'dist');
  const binary = existsSync(join(dist, 'version'));
  const display = process.platform !== 'linux' || Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
  return binary && display ? { dir: dist, isReal: true } : { dir: DOUBLE, isReal: false };
}

export const ELECTRON = electronHere();
// As root Chromium has no sandbox of its own; people's starts never get this.
const SANDBOX = ELECTRON.isReal && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
/** The binary. */
export const PROGRAM = join(ELECTRON.dir, process.platform === 'win32' ? 'electron.exe' : 'electron');

/** What runs the host of an app that is not told otherwise. */
const NODE = ['--node', process.execPath];

/** Within this time a start that hands over, or fails, has ended, on a busy machine too. */
const ENDS_MS = 60_000;

/** Longest that a page is waited for: as `until` does. */
const PATIENCE_MS = 90_000;
const SAID_CHARS = 2000;

/** A question of the app and its answer, as the test gives it. */
export interface Asked {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** What tests see and steer in the main process; it is set up there by `watch`. */
interface Watched {
  asked: Asked[];
  answers: number[];
  opened: string[];
  told: { title: string; body: string; click: () => void }[];
  toolTip: string;
  trayMenu: Electron.Menu | null;
}
type Seen = { [K in 'asked' | 'opened' | 'toolTip']: Watched[K] } & { told: { title: string; body: string }[] };

/** Without a listener Playwright itself answers for a page that does not want to be left. */
const leftToTheApp = (): void => undefined;

async function shown(page: Page): Promise<Page> {
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('dialog', leftToTheApp);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  return page;
}

type Discovery = { readonly url: string; readonly pid: number; readonly token: string };

const discoveryIn = (dataDir: string): Discovery => JSON.parse(readFileSync(join(dataDir, 'host.json'), 'utf8'));

function fetchFrom({ url, token }: Discovery, path: string, init: RequestInit): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers };
  return fetch(`${url}${path}`, { ...init, headers });
}

/** A running desktop app on a folder of its own. */
export class DesktopApp {
  readonly dataDir: string;
  readonly #app: ElectronApplication;
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;
  #said = '';

  constructor(dataDir: string, app: ElectronApplication) {
    this.dataDir = dataDir;
    this.#app = app;
    this.#process = app.process();
    this.#ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.stderr?.on('data', (chunk: Buffer) => {
      this.#said = `${this.#said}${chunk}`.slice(-SAID_CHARS);
    });
  }

  /** An app that has ended does not answer: its last output tells why. */
  async #answered<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (cause) {
      throw new Error(`The app did not answer. What it said last:\n${this.#said}`, { cause });
    }
  }

  get evaluate(): ElectronApplication['evaluate'] {
    return this.#app.evaluate.bind(this.#app);
  }

  get discovery(): Discovery {
    return discoveryIn(this.dataDir);
  }

  /** The dashboard, once it is there. */
  async dashboard(): Promise<Page> {
    return shown(this.#app.windows().at(-1) ?? (await this.#app.waitForEvent('window')));
  }

  /** The dashboard in a new window, which something opens. */
  async dashboardAfter(open: () => Promise<unknown>): Promise<Page> {
    const [page] = await Promise.all([this.#app.waitForEvent('window'), open()]);
    return shown(page);
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetchFrom(this.discovery, path, init);
  }

  /** Answers dialogs with these buttons, in order, and records them; the last answer repeats. */
  answer(...answers: number[]): Promise<void> {
    return this.evaluate((_, given) => {
      Object.assign((globalThis as unknown as { watched: Watched }).watched, { answers: given });
    }, answers);
  }

  /** Keeps what the app shows outside of its window. Called once, before anything is to be seen. */
  watch(): Promise<void> {
    const watching = this.evaluate(({ dialog, shell, Notification, Tray }) => {
      const watched: Watched = { asked: [], answers: [0], opened: [], told: [], toolTip: '', trayMenu: null };
      Object.assign(globalThis, { watched });
      const answered = (args: unknown[]): number => {
        const { message, detail = '', buttons = [] } = args.at(-1) as Electron.MessageBoxOptions;
        watched.asked.push({ message, detail, buttons });
        return watched.answers.length > 1 ? (watched.answers.shift() ?? 0) : (watched.answers[0] ?? 0);
      };
      dialog.showMessageBox = (...args: unknown[]) =>
        Promise.resolve({ response: answered(args), checkboxChecked: false });
      dialog.showMessageBoxSync = (...args: unknown[]) => answered(args);
      shell.openExternal = (address: string) => {
        watched.opened.push(address);
        return Promise.resolve();
      };
      Notification.prototype.show = function show(this: Electron.Notification) {
        watched.told.push({ title: this.title, body: this.body, click: () => this.emit('click') });
      };
      Tray.prototype.setToolTip = (text: string) => {
        watched.toolTip = text;
      };
      Tray.prototype.setContextMenu = (menu: Electron.Menu | null) => {
        watched.trayMenu = menu;
      };
    });
    return this.#answered(watching);
  }

  seen(): Promise<Seen> {
    const seen = this.evaluate(() => {
      const { asked, opened, told, toolTip } = (globalThis as unknown as { watched: Watched }).watched;
      return { asked, opened, toolTip, told: told.map(({ title, body }) => ({ title, body })) };
    });
    return this.#answered(seen);
  }

  clickTray(id: string): Promise<void> {
    return this.evaluate((_, item) => {
      (globalThis as unknown as { watched: Watched }).watched.trayMenu?.getMenuItemById(item)?.click();
    }, id);
  }

  /** Whether an item of the tray's menu can be chosen now. */
  trayOffers(id: string): Promise<boolean> {
    return this.evaluate(
      (_, item) =>
        (globalThis as unknown as { watched: Watched }).watched.trayMenu?.getMenuItemById(item)?.enabled === true,
      id,
    );
  }

  clickNotice(title: string): Promise<void> {
    return this.evaluate((_, wanted) => {
      const { told } = (globalThis as unknown as { watched: Watched }).watched;
      told.find((one) => one.title === wanted)?.click();
    }, title);
  }

  /** Chooses Quit, as the menu does. */
  quit(): Promise<void> {
    return this.evaluate(({ app }) => {
      // Not within this call, whose answer would be lost.
      setImmediate(() => app.quit());
    });
  }

  /** Exit code, once the app has ended. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Ends it and all it has started, as a test does that has failed half-way. */
  async discard(): Promise<void> {
    const child = this.#process;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await this.#ended;
    }
    killAll(pidsUnder(this.dataDir));
    await until('processes of the test to end', () => pidsUnder(this.dataDir).length === 0);
  }
}

function argumentsFor(
  dataDir: string,
  link: readonly string[],
  root = ROOT,
  flags: readonly string[] = NODE,
): string[] {
  const host = ['--data', dataDir, '--port', '0', '--engine', 'process', ...flags];
  return [...SANDBOX, root, ...link, '--', ...host];
}

const homes = new Map<string, string>();

/** The home folder of an app's user on a data folder. */
export function homeOf(dataDir: string): string {
  const home = homes.get(dataDir) ?? tempDir('platform-home-');
  homes.set(dataDir, home);
  return home;
}

/** What the app is started with: nothing of this machine's own settings, and a home of its own. */
export function environment(dataDir: string): Record<string, string> {
  const HOME = homeOf(dataDir);
  const { PATH = '', LANG = '', DISPLAY, WAYLAND_DISPLAY, XDG_RUNTIME_DIR } = process.env;
  const shown = Object.entries({ DISPLAY, WAYLAND_DISPLAY, XDG_RUNTIME_DIR });
  const there = shown.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { PATH, HOME, LANG, ELECTRON_DOUBLE_NODE: process.execPath, ...Object.fromEntries(there) };
}

/** Starts the built app; it is ended, with its host and bots, when the test is. */
export async function desktopApp(
  onTestFinished: TestContext['onTestFinished'],
  dataDir = tempDir('platform-desktop-'),
): Promise<DesktopApp> {
  // Playwright finds Electron the way the `electron` package does, and brings its own loader only then.
  process.env.ELECTRON_OVERRIDE_DIST_PATH = ELECTRON.dir;
  const app = await _electron.launch({ args: argumentsFor(dataDir, []), env: environment(dataDir), timeout: 60_000 });
  const desktop = new DesktopApp(dataDir, app);
  onTestFinished(() => desktop.discard(), 90_000);
  await desktop.watch();
  return desktop;
}

/** Starts the app on a folder where it ends by itself; returns its exit code and stderr. */
export function startEnds(
  dataDir: string,
  env: Record<string, string>,
  ...link: string[]
): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(PROGRAM, argumentsFor(dataDir, link), { stdio: ['ignore', 'ignore', 'pipe'], env });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`A start goes on instead of ending. What it said:\n${said}`));
    }, ENDS_MS);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(late);
      resolve({ code, said });
    });
  });
}

/** Starts the app a second time, with a link if one is given; resolves to its exit code. */
export async function startAgain(dataDir: string, ...link: string[]): Promise<number | null> {
  return (await startEnds(dataDir, environment(dataDir), ...link)).code;
}

/** The host processes on a folder, ready or not. */
export function hostsOn(dataDir: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    const [, program = '', , folder] = procText(pid, 'cmdline').split('\0');
    return program.endsWith('serve.js') && folder === dataDir;
  });
}

/** An app without a window, in a process group of its own, as a terminal starts it: what a test ends in many ways. */
export class HiddenApp {
  readonly dataDir: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;
  #said = '';

  constructor(dataDir: string, program: ChildProcess) {
    this.dataDir = dataDir;
    this.#process = program;
    this.#ended = new Promise((resolve) => program.once('exit', resolve));
    program.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-SAID_CHARS);
    });
  }

  get discovery(): Discovery {
    return discoveryIn(this.dataDir);
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetchFrom(this.discovery, path, init);
  }

  /** Resolves once its host is ready. */
  async ready(): Promise<this> {
    const isReady = (): boolean => {
      if (this.#process.exitCode !== null) throw new Error(`The app has ended. What it said:\n${this.#said}`);
      return existsSync(join(this.dataDir, 'host.json')) && hostsOn(this.dataDir).includes(this.discovery.pid);
    };
    await until('the host of the app', isReady);
    return this;
  }

  /** Sends a signal to the app alone. */
  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Sends SIGINT to all that Ctrl-C in its terminal reaches. */
  interrupt(): void {
    process.kill(-(this.#process.pid ?? 0), 'SIGINT');
  }

  /** Exit code, once the app has ended; null after a signal. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Ends it and all it has started. */
  async discard(): Promise<void> {
    this.#process.kill('SIGKILL');
    const rest = (): number[] => [...hostsOn(this.dataDir), ...pidsUnder(this.dataDir)].filter(exists);
    await until('processes of the test to end', () => {
      killAll(rest());
      return rest().length === 0;
    });
  }
}

export interface HiddenOptions {
  /** The folder of the app; by default this repository. */
  readonly root?: string;
  /** Further flags of the host; by default the Node of the tests. */
  readonly flags?: readonly string[];
}

/** Starts an app without a window; it is ended, with its host and bots, when the test is. */
export function hiddenApp(
  onTestFinished: TestContext['onTestFinished'],
  dataDir: string,
  { root, flags }: HiddenOptions = {},
): HiddenApp {
  const args = argumentsFor(dataDir, ['--hidden'], root, flags);
  const program = spawn(PROGRAM, args, {
    env: environment(dataDir),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const app = new HiddenApp(dataDir, program);
  onTestFinished(() => app.discard(), 90_000);
  return app;
}
