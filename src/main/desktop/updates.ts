import type { DesktopUpdate } from '../../contract/desktop-bridge.ts';
import { errorText } from '../../node/system-error.ts';

/** The part of electron-updater in use. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  /** True if the app starts again after an update. Only for macOS: elsewhere `quitAndInstall` takes that as an argument. */
  autoRunAppAfterInstall: boolean;
  on(
    event: 'update-available' | 'update-not-available' | 'update-downloaded',
    listener: (info: { readonly version: string }) => void,
  ): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Checks for a newer version; resolves to null where the updater cannot work. */
  checkForUpdates(): Promise<unknown>;
  quitAndInstall(isSilent: boolean, isForceRunAfter: boolean): void;
}

export interface UpdateParts {
  /** The updater of an installed app that knows where updates are; null for any other. */
  load(): Promise<Updater | null>;
  /** Called when the state has changed. */
  changed(): void;
  now(): number;
  onError(where: string, error: unknown): void;
}

const CHECK_EVERY_MS = 6 * 60 * 60_000;

/**
 * Fetches new versions of the app in the background and never installs them by itself: the program that runs bots must
 * not be replaced under them. A fetched version waits until the user asks for it, or quits the app and stops its bots.
 */
export class Updates {
  readonly #parts: UpdateParts;
  #updater: Updater | null = null;
  #state: DesktopUpdate = { at: 'never' };
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
  }

  get state(): DesktopUpdate {
    return this.#state;
  }

  /** The version that waits; null without one. */
  get version(): string | null {
    return this.#state.at === 'ready' ? this.#state.version : null;
  }

  async start(): Promise<void> {
    const updater = await this.#parts.load();
    if (updater === null) return;
    this.#updater = updater;
    updater.autoDownload = true;
    // It would install at every end of the app, also while bots go on.
    updater.autoInstallOnAppQuit = false;
    updater.on('update-available', ({ version }) => this.#set({ at: 'fetching', version }));
    updater.on('update-not-available', () => this.#set({ at: 'newest', checked_at: this.#now() }));
    updater.on('update-downloaded', ({ version }) => this.#set({ at: 'ready', version }));
    updater.on('error', (error) => this.#fail(error));
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
    this.#timer.unref();
    await this.check();
  }

  /** Looks for a new version, unless a check is in progress or a version waits. The state shows the result. */
  async check(): Promise<void> {
    const { at } = this.#state;
    if (this.#updater === null || at === 'checking' || at === 'fetching' || at === 'ready') return;
    this.#set({ at: 'checking' });
    try {
      const found = await this.#updater.checkForUpdates();
      // The updater returns null, and sends no event, where it cannot work: it cannot replace an unpacked AppImage, for
      // example.
      if (found === null) this.#set({ at: 'never' });
    } catch (error) {
      // Without a network there is nothing to report; the next check may have one.
      this.#fail(error);
    }
  }

  /**
   * Ends the app by installing the fetched version; false without one. Call only after the host and all its bots have
   * ended. A failed installation ends nothing and reports to `failed`.
   */
  install(startAgain: boolean, failed: (error: unknown) => void): boolean {
    const updater = this.#updater;
    if (updater === null || this.version === null) return false;
    clearInterval(this.#timer);
    updater.autoRunAppAfterInstall = startAgain;
    updater.on('error', failed);
    updater.quitAndInstall(true, startAgain);
    return true;
  }

  #now(): string {
    return new Date(this.#parts.now()).toISOString();
  }

  #set(state: DesktopUpdate): void {
    this.#state = state;
    this.#parts.changed();
  }

  #fail(error: unknown): void {
    this.#parts.onError('search for updates', error);
    // A fetched version can be installed whatever failed later.
    if (this.version === null) this.#set({ at: 'failed', message: errorText(error), checked_at: this.#now() });
  }
}
