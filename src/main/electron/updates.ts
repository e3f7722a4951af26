/** What of electron-updater is used. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  on(event: 'update-downloaded', listener: (info: { readonly version: string }) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  checkForUpdates(): Promise<unknown>;
  quitAndInstall(isSilent: boolean, isForceRunAfter: boolean): void;
}

export interface UpdateParts {
  /** The updater of an installed app that knows where updates are; null for any other. */
  load(): Promise<Updater | null>;
  /** A version has been fetched and waits. */
  ready(): void;
  onError(where: string, error: unknown): void;
}

const CHECK_EVERY_MS = 6 * 60 * 60_000;

/**
 * Fetches new versions of the app in the background and installs none by itself: what runs bots is not exchanged while it
 * runs them. One that was fetched waits until somebody asks for it, or quits the app and stops its bots.
 */
export class Updates {
  readonly #p: UpdateParts;
  #updater: Updater | null = null;
  #version: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: UpdateParts) {
    this.#p = parts;
  }

  /** The version that waits; null without one. */
  get version(): string | null {
    return this.#version;
  }

  async start(): Promise<void> {
    const updater = await this.#p.load();
    if (updater === null) return;
    this.#updater = updater;
    updater.autoDownload = true;
    // It would install at every end of the app, also while bots go on.
    updater.autoInstallOnAppQuit = false;
    updater.on('update-downloaded', ({ version }) => {
      this.#version = version;
      this.#p.ready();
    });
    updater.on('error', (error) => this.#p.onError('updates', error));
    this.#timer = setInterval(() => void this.#check(updater), CHECK_EVERY_MS);
    this.#timer.unref();
    await this.#check(updater);
  }

  /**
   * Ends the app by installing what waits; false where nothing does. Only to be called once the host has ended and none of
   * its bots runs.
   */
  install(startAgain: boolean): boolean {
    if (this.#updater === null || this.#version === null) return false;
    clearInterval(this.#timer);
    this.#updater.quitAndInstall(true, startAgain);
    return true;
  }

  async #check(updater: Updater): Promise<void> {
    try {
      await updater.checkForUpdates();
    } catch (error) {
      // Without a network there is nothing to be told; the next look may have one.
      this.#p.onError('search for updates', error);
    }
  }
}
