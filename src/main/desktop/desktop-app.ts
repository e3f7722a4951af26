import { homedir } from 'node:os';
import { join } from 'node:path';
import { app, dialog, Menu, Notification, powerMonitor, session, shell } from 'electron';
import type { BotEvent } from '../../contract/bot.ts';
import { DESKTOP_CHANNELS } from '../../contract/desktop-bridge.ts';
import { pause } from '../../node/bounded-wait.ts';
import { errorText } from '../../node/system-error.ts';
import { AlarmNotices } from './alarm-notices.ts';
import type { Places } from './app-paths-and-flags.ts';
import { AppSettings } from './app-settings.ts';
import { ask } from './ask.ts';
import { BotWatch, type KnownBot } from './bot-watch.ts';
import { answerBridge } from './bridge.ts';
import { commandControl, commandWords } from './command-on-path.ts';
import { ExternalOpener } from './external-opener.ts';
import { FailureNotices, isFailure, type Notice, noticeText } from './failure-notices.ts';
import { startHostChild } from './host-child.ts';
import { callHost } from './host-client.ts';
import { findHost } from './host-finder.ts';
import { HostSupervisor } from './host-supervisor.ts';
import { loadUpdater } from './load-updater.ts';
import { logIn } from './log-in.ts';
import { type LoginItem, loginItem, wasStartedAtLogin } from './login-item.ts';
import { type AppActions, menuTemplate } from './menu.ts';
import { MutedBots } from './muted-bots.ts';
import { lockNavigation } from './navigation-lock.ts';
import { denyPermissions } from './permissions.ts';
import { Quitting } from './quitting.ts';
import { actionOf } from './status-page.ts';
import { stopAll } from './stop-all.ts';
import { AppTray } from './tray.ts';
import { updateObstacle } from './update-obstacle.ts';
import { Updates } from './updates.ts';
import { MainWindow } from './window.ts';

/** Notifications that stay clickable; a person's own list holds no more. */
const MOST_HELD = 50;

/** The running app, its parts built in order; each knows only what it is given here. */
export class DesktopApp {
  readonly #places: Places;
  readonly #onError: (where: string, error: unknown) => void;
  readonly #supervisor: HostSupervisor;
  readonly #watch: BotWatch;
  readonly #window: MainWindow;
  readonly #quitting: Quitting;
  readonly #updates: Updates;
  readonly #notices = new FailureNotices();
  readonly #muted: MutedBots;
  readonly #alarms: AlarmNotices;
  readonly #loginItem: LoginItem;
  readonly #settings: AppSettings;
  readonly #opener = new ExternalOpener(
    () => this.#origin,
    () => this.#window.window,
  );
  readonly #actions: AppActions;
  #tray: AppTray | null = null;
  /** Origin of the dashboard at the last running host: its page may outlive it. */
  #origin: string | null = null;
  #lastPort: string | null = null;
  #toldOfTray = false;
  /** References that keep notifications clickable: Electron collects unreferenced ones. */
  readonly #told: Notification[] = [];
  /** The user asked for an update: the app starts again after it. */
  #startsAgain = false;

  constructor(places: Places, onError: (where: string, error: unknown) => void) {
    this.#places = places;
    this.#onError = onError;
    const { dataDir, serveFile, hostFlags, node, appImage } = places;
    this.#supervisor = new HostSupervisor({
      find: () => findHost(dataDir),
      start: (giveUp) => {
        const given = { node, serveFile, dataDir, flags: hostFlags, env: process.env };
        return startHostChild({ ...given, lastPort: this.#lastPort, giveUp });
      },
      stop: async (host, leaveBots) => {
        await callHost(host, 'host.stop', { leave_bots: leaveBots });
      },
      changed: () => this.#hostChanged(),
      now: Date.now,
      wait: pause,
      onError,
    });
    this.#muted = new MutedBots(onError);
    this.#alarms = new AlarmNotices({ show: (notice) => this.#tell(notice), wait: pause, onError });
    this.#watch = new BotWatch({
      changed: () => this.#showBots(),
      event: (event, bot) => {
        this.#do('notification', this.#tellOf(event, bot));
      },
      lost: () => void this.#supervisor.check(),
      wait: pause,
      onError,
    });
    this.#window = new MainWindow({
      preload: places.preload,
      icon: places.icons.app,
      isPackaged: app.isPackaged,
      stateFile: join(places.ownDir, 'window.json'),
      origin: () => this.#origin,
      logIn: async (origin) => {
        const host = this.#supervisor.host;
        if (host !== null) await logIn(session.defaultSession, host, origin);
      },
      host: () => this.#supervisor.state,
      closed: () => this.#windowClosed(),
      onError,
    });
    this.#updates = new Updates({
      load: loadUpdater,
      changed: () => this.#settingsChanged(),
      now: Date.now,
      onError,
    });
    this.#loginItem = loginItem(app, places);
    const command = commandControl({
      platform: process.platform,
      env: process.env,
      home: homedir(),
      node,
      appImage,
      program: join(places.filesDir, 'out', 'main', 'platform.js'),
    });
    this.#settings = new AppSettings({
      file: join(places.ownDir, 'settings.json'),
      version: app.getVersion(),
      updates: this.#updates,
      startsAtLogin: () => this.#loginItem.isOn(),
      setStartsAtLogin: (on) => this.#loginItem.set(on),
      command,
      installUpdate: () => this.#actions.installUpdate(),
      changed: () => this.#settingsChanged(),
      onError,
    });
    this.#quitting = new Quitting({
      supervisor: this.#supervisor,
      window: this.#window,
      ask: (question) => ask(this.#window.window, question),
      leaveBots: hostFlags.includes('--leave-bots'),
      bots: () => (this.#watch.isKnown ? this.#watch.bots : null),
      ending: () => {
        this.#watch.follow(null);
        this.#alarms.follow(null);
      },
      end: (mayInstall) => {
        const failed = (error: unknown): void => this.#notInstalled(error);
        if (!mayInstall || !this.#updates.install(this.#startsAgain, failed)) app.exit(0);
      },
    });
    this.#actions = this.#makeActions();
  }

  /** Sets up everything that must hold before the first page exists. */
  secure(): void {
    lockNavigation({
      origin: () => this.#origin,
      command: (address) => this.#obey(address),
      leave: (address) => this.#do('open a link', this.#opener.leave(address)),
    });
    denyPermissions(session.defaultSession, () => this.#origin);
    answerBridge({
      supervisor: this.#supervisor,
      window: this.#window,
      settings: this.#settings,
      origin: () => this.#origin,
    });
  }

  start(place: string | null): void {
    this.#tray = new AppTray(
      { usual: this.#places.icons.tray, failing: this.#places.icons.trayFailing },
      this.#actions,
    );
    this.#setMenu();
    if (!this.#places.hidden && !wasStartedAtLogin(app)) this.open(place);
    void this.#supervisor.open();
    this.#do('updates', this.#updates.start());
    // These end the app without a question, as Ctrl-C ends a host in a terminal: the system waits for no answer.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#quitting.now());
    // Electron delays the shutdown only if a listener prevents it. Its types leave the event out.
    powerMonitor.on('shutdown', (event?: Pick<Event, 'preventDefault'>) => {
      event?.preventDefault();
      this.#quitting.now();
    });
    app.on('before-quit', (event) => {
      // The host would be killed amid its stop, which may take as long as its bots need to end.
      if (this.#quitting.isOver) return;
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
    const { state, host } = this.#supervisor;
    if (host !== null) {
      this.#origin = this.#places.developedAt ?? host.url;
      this.#lastPort = new URL(host.url).port;
    }
    this.#watch.follow(host);
    this.#alarms.follow(host);
    this.#window.hostChanged(state);
    this.#showBots();
    this.#setMenu();
  }

  #showBots(): void {
    this.#tray?.update(this.#watch.bots, this.#supervisor.host !== null);
  }

  #setMenu(): void {
    if (app.isReady()) Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(this.#actions, app.isPackaged)));
  }

  #settingsChanged(): void {
    this.#setMenu();
    this.#do('settings', this.#tellSettings());
  }

  async #tellSettings(): Promise<void> {
    this.#window.tell(DESKTOP_CHANNELS.settingsChanged, this.#settings.read());
  }

  /** For the menu, which must be there whatever the system says; the settings say what went wrong. */
  #startsAtLogin(): boolean {
    try {
      return this.#loginItem.isOn();
    } catch (error) {
      this.#onError('start at login', error);
      return false;
    }
  }

  async #tellOf(event: BotEvent, bot: KnownBot | null): Promise<void> {
    const host = this.#supervisor.host;
    if (host !== null && isFailure(event) && (await this.#alarms.areOn(host))) return;
    const muted = host !== null && isFailure(event) ? await this.#muted.of(host) : undefined;
    const notice = this.#notices.of(event, bot, Date.now(), muted);
    if (notice !== null) this.#tell(notice);
  }

  /** Returns false where no notification can be shown, or the person wants none. */
  #tell({ title, body, place }: Notice): boolean {
    if (!this.#settings.notifications || !Notification.isSupported()) return false;
    const notification = new Notification({ title, body: noticeText(body, process.platform) });
    notification.on('click', () => this.open(place));
    notification.show();
    this.#told.push(notification);
    if (this.#told.length > MOST_HELD) this.#told.shift();
    return true;
  }

  #windowClosed(): void {
    if (this.#quitting.isDecided || this.#toldOfTray) return;
    this.#toldOfTray = true;
    const body = 'Its icon in the tray opens the window again, and so does starting the app again.';
    this.#tell({ title: 'Bot Platform goes on without its window', body, place: '/' });
  }

  #obey(address: string): boolean {
    const action = actionOf(address);
    if (action === 'retry') {
      if (this.#supervisor.host === null) void this.#supervisor.open();
      else void this.#window.refresh();
    } else if (action === 'log') this.#actions.showLogs();
    else if (action === 'quit') app.quit();
    return action !== null;
  }

  async #openInBrowser(): Promise<void> {
    const host = this.#supervisor.host;
    if (host === null) return;
    await this.#opener.openInBrowser((await callHost(host, 'auth.link', {})).url);
  }

  async #installCommand(): Promise<void> {
    const { settings, problem } = await this.#settings.change({ command: true });
    const message = problem === null ? commandWords(settings.command) : problem.message;
    await ask(this.#window.window, { type: 'info', message, detail: problem?.hint ?? '', buttons: ['Close'] });
  }

  /** An update waits for bots, never the other way round. */
  async #installUpdate(): Promise<void> {
    const obstacle = this.#updateObstacle();
    const answer = await ask(this.#window.window, {
      type: 'info',
      message: `Version ${this.#updates.version} is ready`,
      detail: obstacle ?? 'The app ends, is exchanged, and starts again.',
      buttons: obstacle === null ? ['Install', 'Later'] : ['Close'],
      cancelId: obstacle === null ? 1 : 0,
    });
    if (obstacle !== null || answer !== 0) return;
    // A bot may have begun to run while the question was open.
    if (this.#updateObstacle() !== null) return this.#installUpdate();
    this.#startsAgain = true;
    if (!(await this.#quitting.idle())) this.#startsAgain = false;
  }

  #updateObstacle(): string | null {
    return updateObstacle(this.#supervisor, this.#watch.isKnown ? this.#watch.bots : null);
  }

  /** The app has closed its windows by now, so only a log line remains. */
  #notInstalled(error: unknown): void {
    const detail = `${errorText(error)}\n\nThe app has ended as it was. Start it again.`;
    dialog.showErrorBox(`Version ${this.#updates.version} could not be installed`, detail);
    app.exit(1);
  }

  async #setStartsAtLogin(on: boolean): Promise<void> {
    const { problem } = await this.#settings.change({ starts_at_login: on });
    if (problem !== null) dialog.showErrorBox('Start at login stays as it was', problem.message);
  }

  #makeActions(): AppActions {
    const { dataDir, ownDir } = this.#places;
    return {
      open: (place) => this.open(place ?? null),
      reload: () => this.#do('reload', this.#window.reload()),
      openInBrowser: () => this.#do('open in the browser', this.#openInBrowser()),
      showDataFolder: () => this.#do('data folder', shell.openPath(dataDir)),
      showLogs: () => shell.showItemInFolder(join(ownDir, 'desktop.log')),
      stopAll: () => this.#do('stop all bots', stopAll(this.#supervisor.host, this.#watch.bots, this.#window.window)),
      installCommand: () => this.#do('install the command', this.#installCommand()),
      quit: () => app.quit(),
      quitWords: () => (this.#supervisor.host !== null && !this.#supervisor.isOwn ? 'Quit (the host goes on)' : 'Quit'),
      startsAtLogin: () => this.#startsAtLogin(),
      setStartsAtLogin: (on) => this.#do('start at login', this.#setStartsAtLogin(on)),
      updateReady: () => this.#updates.version,
      installUpdate: () => this.#do('install the update', this.#installUpdate()),
    };
  }
}
