import { BrowserWindow, dialog, screen } from 'electron';
import { DESKTOP_CHANNELS, type DesktopHost } from '../../contract/desktop-bridge.ts';
import { errorText, systemErrorCode } from '../../node/system-error.ts';
import { originOf } from './origin.ts';
import { isStatusPage, type Status, statusOf, statusPage } from './status-page.ts';
import { webPreferences } from './web-preferences.ts';
import { placeWindow, readWindowState, SMALLEST, writeWindowState } from './window-state.ts';

export interface WindowParts {
  readonly preload: string;
  readonly icon: string;
  /** An installed app has no developer tools. */
  readonly isPackaged: boolean;
  /** File that remembers the window's place on the screen. */
  readonly stateFile: string;
  /** Origin of the dashboard while a host runs; null without one. */
  origin(): string | null;
  /** Makes sure that the window is logged in. */
  logIn(origin: string): Promise<void>;
  host(): DesktopHost;
  /** Called when a window was closed, and the app goes on without one. */
  closed(): void;
  onError(where: string, error: unknown): void;
}

const WAIT_FOR_MOVES_MS = 400;
/** Number of crashes within CRASHES_MS after which a page is not loaded again by itself. */
const MOST_CRASHES = 3;
const CRASHES_MS = 60_000;

/** The one window: it shows the dashboard of the host, or says why there is none. */
export class MainWindow {
  readonly #parts: WindowParts;
  #window: BrowserWindow | null = null;
  /** The address to open once there is a dashboard. */
  #place: string | null = null;
  /** A status that replaces any page, such as that the app is ending. */
  #notice: Status | null = null;
  #crashes: number[] = [];
  #turn = 0;
  /** Tells a pending load that the user stays on this page. */
  #stay: () => void = () => undefined;

  constructor(parts: WindowParts) {
    this.#parts = parts;
  }

  /** The window for dialogs; null while there is none. */
  get window(): BrowserWindow | null {
    return this.#window;
  }

  /** Brings the window to the front, and the dashboard to a place in it. */
  show(place?: string): void {
    if (place !== undefined) this.#place = place;
    if (this.#window === null) {
      this.#open();
      void this.refresh();
      return;
    }
    if (this.#window.isMinimized()) this.#window.restore();
    this.#window.show();
    this.#window.focus();
    // Without a host an open dashboard stays, with everything typed in it.
    if (place !== undefined) void this.#load(this.#parts.host().at === 'running');
  }

  /** Tells an open page about the host's new state, or loads the page if there is none. */
  hostChanged(state: DesktopHost): void {
    if (this.#window === null) return;
    if (!this.#isDashboard()) void this.refresh();
    else if (state.at === 'running' && (this.#place !== null || this.#parts.origin() !== this.#shownOrigin())) {
      void this.#load(true);
    } else this.#window.webContents.send(DESKTOP_CHANNELS.hostChanged, state);
  }

  /** Tells the dashboard something, where it is shown. */
  tell(channel: string, value: unknown): void {
    if (this.#window !== null && this.#isDashboard()) this.#window.webContents.send(channel, value);
  }

  /** Loads the page that belongs into the window now. */
  async refresh(): Promise<void> {
    await this.#load(false);
  }

  /** Reloads the dashboard, logged in. */
  async reload(): Promise<void> {
    const { pathname, search } = new URL(
      this.#isDashboard() ? this.#address() : `https://x.invalid${this.#place ?? '/'}`,
    );
    this.#place = `${pathname}${search}`;
    await this.#load(true);
  }

  /** Shows a status in place of anything else. False when the person stays with unsaved changes. */
  async say(notice: Status): Promise<boolean> {
    this.#notice = notice;
    const done = await this.#load(true);
    if (!done) this.#notice = null;
    return done;
  }

  destroy(): void {
    this.#window?.destroy();
  }

  #address(): string {
    return this.#window?.webContents.getURL() ?? '';
  }

  #shownOrigin(): string | null {
    const address = this.#address();
    return address.startsWith('http') ? originOf(address) : null;
  }

  #isDashboard(): boolean {
    return this.#shownOrigin() !== null;
  }

  /** Resolves to false when the present page stays. */
  async #load(again: boolean): Promise<boolean> {
    const window = this.#window;
    if (window === null) return true;
    this.#turn += 1;
    const turn = this.#turn;
    const place = this.#place;
    try {
      const address = await this.#wanted(again);
      if (address === null || turn !== this.#turn || window.isDestroyed()) return true;
      // Not earlier: a later call that replaces this one must still open the place.
      if (!isStatusPage(address)) this.#place = null;
      return await this.#leaveFor(window, address);
    } catch (error) {
      // A page that has gone elsewhere itself has not failed.
      if (turn !== this.#turn || window.isDestroyed() || systemErrorCode(error) === 'ERR_ABORTED') return true;
      this.#parts.onError('dashboard', error);
      this.#place = place;
      return this.#sayFailed(window, errorText(error));
    }
  }

  /** A failed load would leave the window hidden or empty for good, so it shows the fault. */
  async #sayFailed(window: BrowserWindow, text: string): Promise<boolean> {
    const failed = statusPage({ title: 'The dashboard could not be opened', text, actions: ['retry', 'log', 'quit'] });
    try {
      return await this.#leaveFor(window, failed);
    } catch (error) {
      this.#parts.onError('status page', error);
      return true;
    }
  }

  /**
   * Resolves to false when the person stays with unsaved changes. Releases of Electron differ in how the load fails then
   * (ERR_ABORTED, ERR_FAILED), so the answer itself counts.
   */
  async #leaveFor(window: BrowserWindow, address: string): Promise<boolean> {
    const stayed = new Promise<false>((resolve) => {
      this.#stay = () => resolve(false);
    });
    return Promise.race([stayed, window.loadURL(address).then(() => true)]);
  }

  /** The page that belongs into the window; null if it is there already. */
  async #wanted(again: boolean): Promise<string | null> {
    if (this.#notice !== null) return statusPage(this.#notice);
    const state = this.#parts.host();
    const origin = this.#parts.origin();
    if (state.at !== 'running' || origin === null) {
      // An open dashboard reports the missing host itself, and keeps what the user typed.
      if (this.#isDashboard() && !again) return null;
      return statusPage(statusOf(state.at === 'running' ? { at: 'starting' } : state));
    }
    if (!again && this.#shownOrigin() === origin) return null;
    await this.#parts.logIn(origin);
    return `${origin}${this.#place ?? '/'}`;
  }

  #open(): void {
    const state = readWindowState(this.#parts.stateFile);
    const window = new BrowserWindow({
      ...placeWindow(
        state,
        screen.getAllDisplays().map(({ workArea }) => workArea),
      ),
      minWidth: SMALLEST.width,
      minHeight: SMALLEST.height,
      title: 'Bot Platform',
      icon: this.#parts.icon,
      show: false,
      webPreferences: webPreferences(this.#parts.preload, this.#parts.isPackaged),
    });
    this.#window = window;
    window.once('ready-to-show', () => {
      if (state?.maximized === true) window.maximize();
      window.show();
    });
    this.#remember(window);
    this.#mind(window);
    window.on('closed', () => {
      this.#window = null;
      this.#crashes = [];
      this.#parts.closed();
    });
  }

  /** Stores the bounds of the window once it rests. */
  #remember(window: BrowserWindow): void {
    let timer: NodeJS.Timeout | undefined;
    const write = (): void => {
      if (window.isDestroyed() || window.isMinimized() || window.isFullScreen()) return;
      const state = { bounds: window.getNormalBounds(), maximized: window.isMaximized() };
      writeWindowState(this.#parts.stateFile, state).catch((error: unknown) =>
        this.#parts.onError('window state', error),
      );
    };
    const later = (): void => {
      clearTimeout(timer);
      timer = setTimeout(write, WAIT_FOR_MOVES_MS);
    };
    window.on('resize', later);
    window.on('move', later);
    window.on('maximize', later);
    window.on('unmaximize', later);
    window.on('close', () => {
      clearTimeout(timer);
      write();
    });
  }

  #mind(window: BrowserWindow): void {
    window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
      if (reason === 'clean-exit') return;
      this.#parts.onError('the page ended', new Error(`${reason}, code ${exitCode}`));
      void this.#afterCrash(reason);
    });
    window.webContents.on('will-prevent-unload', (event) => {
      const answer = dialog.showMessageBoxSync(window, {
        type: 'question',
        message: 'Leave without saving?',
        detail: 'What you changed here is not saved and will be lost.',
        buttons: ['Leave', 'Stay'],
        defaultId: 1,
        cancelId: 1,
      });
      // Preventing this event lets the page go.
      if (answer === 0) event.preventDefault();
      else this.#stay();
    });
  }

  async #afterCrash(reason: string): Promise<void> {
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < CRASHES_MS), now];
    if (this.#crashes.length <= MOST_CRASHES) {
      await this.reload();
      return;
    }
    this.#crashes = [];
    this.#notice = {
      title: 'The page keeps crashing',
      text: `It ended ${MOST_CRASHES + 1} times within a minute (${reason}). The host and its bots are not touched by that.`,
      actions: ['retry', 'log', 'quit'],
    };
    await this.#load(true);
    this.#notice = null;
  }
}
