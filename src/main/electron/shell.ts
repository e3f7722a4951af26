import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { app, clipboard, dialog, Notification, powerMonitor, session, shell } from 'electron';
import { openDataFolder } from '../base/data-folder.ts';
import { createLogger } from '../base/logger.ts';
import { pause } from '../base/pause.ts';
import { errorText } from '../base/system-error.ts';
import { BotWatch, isActive } from './bot-watch.ts';
import { answerBridge } from './bridge.ts';
import { installCommand } from './command-on-path.ts';
import { placeInArguments, placeOf, SCHEME } from './deep-link.ts';
import { FailureNotices, type Notice } from './failure-notices.ts';
import { callHost } from './host-api.ts';
import { startHostChild } from './host-child.ts';
import { findHost } from './host-finder.ts';
import { HostKeeper } from './host-keeper.ts';
import { loadUpdater } from './load-updater.ts';
import { logIn } from './log-in.ts';
import { setStartsAtLogin, startsAtLogin, wasStartedAtLogin } from './login-item.ts';
import { type AppActions, setMenu } from './menu.ts';
import { lockNavigation } from './navigation.ts';
import { denyPermissions } from './permissions.ts';
import { type Places, placesOf } from './places.ts';
import { Quitting } from './quitting.ts';
import { actionOf } from './status-page.ts';
import { AppTray } from './tray.ts';
import { Updates } from './updates.ts';
import { MainWindow } from './window.ts';

/** Everything of the running app, built in order; each part knows only what it is given here. */
class DesktopApp {
  readonly #places: Places;
  readonly #onError: (where: string, error: unknown) => void;
  readonly #keeper: HostKeeper;
  readonly #watch: BotWatch;
  readonly #window: MainWindow;
  readonly #quitting: Quitting;
  readonly #updates: Updates;
  readonly #notices = new FailureNotices();
  readonly #actions: AppActions;
  #tray: AppTray | null = null;
  /** Origin of the dashboard, as it was when a host ran last: its page may still be open while none does. */
  #origin: string | null = null;
  #lastPort: string | null = null;
  #startsAtLogin = false;
  #toldOfTray = false;
  /** After an update that somebody asked for. */
  #startsAgain = false;

  constructor(places: Places, onError: (where: string, error: unknown) => void) {
    this.#places = places;
    this.#onError = onError;
    const { dataDir, serveFile, hostFlags, node } = places;
    const flags = node === null ? hostFlags : ['--node', node, ...hostFlags];
    this.#keeper = new HostKeeper({
      find: () => findHost(dataDir),
      start: () => startHostChild({ serveFile, dataDir, flags, lastPort: this.#lastPort }),
      stop: async (host, leaveBots) => {
        await callHost(host, 'host.stop', { leave_bots: leaveBots });
      },
      changed: () => this.#hostChanged(),
      now: Date.now,
      wait: pause,
      onError,
    });
    this.#watch = new BotWatch({
      changed: () => this.#showBots(),
      event: (event, bot) => {
        const notice = this.#notices.of(event, bot, Date.now());
        if (notice !== null) this.#tell(notice);
      },
      lost: () => void this.#keeper.check(),
      wait: pause,
      onError,
    });
    this.#window = new MainWindow({
      preload: places.preload,
      icon: places.icons.app,
      stateFile: join(places.ownDir, 'window.json'),
      origin: () => this.#origin,
      logIn: async (origin) => {
        const host = this.#keeper.host;
        if (host !== null) await logIn(session.defaultSession, host, origin);
      },
      host: () => this.#keeper.state,
      closed: () => this.#windowClosed(),
      onError,
    });
    this.#updates = new Updates({ load: loadUpdater, ready: () => this.#setMenu(), onError });
    this.#quitting = new Quitting({
      keeper: this.#keeper,
      window: this.#window,
      leaveBots: hostFlags.includes('--leave-bots'),
      bots: () => this.#watch.bots,
      ending: () => this.#watch.follow(null),
      end: (isIdle) => {
        if (!isIdle || !this.#updates.install(this.#startsAgain)) app.exit(0);
      },
    });
    this.#actions = this.#makeActions();
  }

  /** Everything that must be said before the first page exists. */
  secure(): void {
    lockNavigation({
      origin: () => this.#origin,
      command: (_contents, address) => this.#command(address),
      openOutside: (address) => this.#do('open a link', shell.openExternal(address)),
      refuse: (address) => this.#do('show a link', this.#showRefused(address)),
    });
    denyPermissions(session.defaultSession, () => this.#origin);
    answerBridge({ keeper: this.#keeper, window: this.#window, origin: () => this.#origin });
  }

  start(place: string | null): void {
    this.#startsAtLogin = startsAtLogin();
    this.#tray = new AppTray(
      { usual: this.#places.icons.tray, failing: this.#places.icons.trayFailing },
      this.#actions,
    );
    this.#setMenu();
    if (!this.#places.hidden && !wasStartedAtLogin()) this.open(place);
    void this.#keeper.open();
    this.#do('updates', this.#updates.start());
    // The app ends, the system does not wait for an answer: as Ctrl-C ends a host in a terminal.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#quitting.now());
    powerMonitor.on('shutdown', () => this.#quitting.now());
    app.on('before-quit', (event) => {
      if (this.#quitting.isDecided) return;
      event.preventDefault();
      this.#do('quit', this.#quitting.ask());
    });
    app.on('activate', () => this.open(null));
    // Without this the app would end with its last window.
    app.on('window-all-closed', () => undefined);
  }

  open(place: string | null): void {
    if (this.#quitting.isDecided) return;
    if (place === null) this.#window.show();
    else this.#window.show(place);
  }

  #do(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#onError(what, error));
  }

  #hostChanged(): void {
    const { state, host } = this.#keeper;
    if (host !== null) {
      this.#origin = this.#places.developedAt ?? host.url;
      this.#lastPort = new URL(host.url).port;
    }
    this.#watch.follow(host);
    this.#window.hostChanged(state);
    this.#showBots();
    this.#setMenu();
  }

  #showBots(): void {
    this.#tray?.update(this.#watch.bots, this.#keeper.host !== null);
  }

  #setMenu(): void {
    if (app.isReady()) setMenu(this.#actions, app.isPackaged);
  }

  #tell({ title, body, place }: Notice): void {
    if (!Notification.isSupported()) return;
    const notification = new Notification({ title, body });
    notification.on('click', () => this.open(place));
    notification.show();
  }

  #windowClosed(): void {
    if (this.#quitting.isDecided || this.#toldOfTray) return;
    this.#toldOfTray = true;
    const body = 'Its icon in the tray opens the window again, and so does starting the app again.';
    this.#tell({ title: 'Bot Platform goes on without its window', body, place: '/' });
  }

  #command(address: string): boolean {
    const action = actionOf(address);
    if (action === 'retry') {
      if (this.#keeper.host === null) void this.#keeper.open();
      else void this.#window.refresh();
    } else if (action === 'log') this.#actions.showLogs();
    else if (action === 'quit') app.quit();
    return action !== null;
  }

  async #showRefused(address: string): Promise<void> {
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: 'This link is not opened',
      detail: `It leads outside of Bot Platform, to an address that the app does not know. Open it yourself if you trust it:\n\n${address.slice(0, 500)}`,
      buttons: ['Copy the address', 'Close'],
      defaultId: 1,
      cancelId: 1,
    });
    if (response === 0) clipboard.writeText(address);
  }

  async #stopAll(): Promise<void> {
    const host = this.#keeper.host;
    const active = this.#watch.bots.filter(({ status }) => isActive(status));
    if (host === null || active.length === 0) return;
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      message: `Stop ${active.length === 1 ? 'the one bot that runs' : `all ${active.length} bots that run`}?`,
      detail: 'Each stays stopped until it is started again. Scheduled bots that are not running stay scheduled.',
      buttons: ['Stop all', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
    });
    if (response !== 0) return;
    const results = await Promise.allSettled(active.map(({ bot_id }) => callHost(host, 'bots.stop', { bot_id })));
    const wrong = results.filter((one) => one.status === 'rejected');
    if (wrong.length === 0) return;
    const first = errorText(wrong[0]?.reason);
    dialog.showErrorBox('Not all bots were stopped', `${wrong.length} of ${active.length} could not be: ${first}`);
  }

  async #openInBrowser(): Promise<void> {
    const host = this.#keeper.host;
    if (host === null) return;
    await shell.openExternal((await callHost(host, 'auth.link', {})).url);
  }

  async #installCommand(): Promise<void> {
    const { filesDir, node } = this.#places;
    const program = join(filesDir, 'out', 'main', 'platform.js');
    const { platform, env } = process;
    // An AppImage is mounted anew at another place by each start.
    const message =
      env.APPIMAGE !== undefined || node === null
        ? 'An AppImage cannot bring the command along: install the .deb, or use npm.'
        : await installCommand({ platform, env, home: homedir(), node, program });
    await dialog.showMessageBox({ type: 'info', message, buttons: ['Close'] });
  }

  /** An update waits for bots, never the other way round. */
  async #installUpdate(): Promise<void> {
    const running = this.#keeper.isOwn ? this.#watch.bots.filter(({ status }) => isActive(status)).length : 0;
    const obstacle = !this.#keeper.isOwn
      ? 'The host that this app has joined was started elsewhere. Stop it first: platform stop.'
      : running > 0
        ? `It is installed once no bot runs; ${running} ${running === 1 ? 'does' : 'do'}. Stop them first, or quit and stop them.`
        : null;
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: `Version ${this.#updates.version} is ready`,
      detail: obstacle ?? 'The app ends, is exchanged, and starts again.',
      buttons: obstacle === null ? ['Install', 'Later'] : ['Close'],
      cancelId: obstacle === null ? 1 : 0,
    });
    if (obstacle !== null || response !== 0) return;
    this.#startsAgain = true;
    this.#quitting.idle();
  }

  async #setStartsAtLogin(on: boolean): Promise<void> {
    await setStartsAtLogin(on);
    this.#startsAtLogin = on;
    this.#setMenu();
  }

  #makeActions(): AppActions {
    const { dataDir, ownDir } = this.#places;
    return {
      open: (place) => this.open(place ?? null),
      reload: () => this.#do('reload', this.#window.reload()),
      openInBrowser: () => this.#do('open in the browser', this.#openInBrowser()),
      showDataFolder: () => this.#do('data folder', shell.openPath(dataDir)),
      showLogs: () => shell.showItemInFolder(join(ownDir, 'desktop.log')),
      stopAll: () => this.#do('stop all bots', this.#stopAll()),
      installCommand: () => this.#do('install the command', this.#installCommand()),
      quit: () => app.quit(),
      quitWords: () => (this.#keeper.host !== null && !this.#keeper.isOwn ? 'Quit (the host goes on)' : 'Quit'),
      startsAtLogin: () => this.#startsAtLogin,
      setStartsAtLogin: (on) => this.#do('start at login', this.#setStartsAtLogin(on)),
      updateReady: () => this.#updates.version,
      installUpdate: () => this.#do('install the update', this.#installUpdate()),
    };
  }
}

function ready(places: Places): void {
  const logger = createLogger({ file: join(places.ownDir, 'desktop.log'), mask: (line) => line });
  const desktop = new DesktopApp(places, (where, error) => {
    logger.error(where, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
  desktop.secure();
  let place = placeInArguments(process.argv);
  app.on('second-instance', (_event, argv) => desktop.open(placeInArguments(argv)));
  app.on('open-url', (event, link) => {
    event.preventDefault();
    if (app.isReady()) desktop.open(placeOf(link));
    else place = placeOf(link);
  });
  desktop.start(place);
  process.stdout.write(`${JSON.stringify({ desktop: true, pid: process.pid })}\n`);
}

/**
 * The desktop app: one for each data folder. A second start hands what it was asked to open to the first one and ends.
 */
export function startShell(): void {
  const { argv, env, platform, arch, resourcesPath } = process;
  const { isPackaged } = app;
  const places = placesOf({ appPath: app.getAppPath(), resourcesPath, isPackaged, argv, env, platform, arch });
  openDataFolder(places.dataDir);
  mkdirSync(places.ownDir, { recursive: true, mode: 0o700 });
  app.setPath('userData', places.ownDir);
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return;
  }
  app.enableSandbox();
  // A checkout must not take the links of an app that is installed.
  if (isPackaged) app.setAsDefaultProtocolClient(SCHEME);
  void app.whenReady().then(() => ready(places));
}
