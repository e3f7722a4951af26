import type { DesktopNotice } from '../../../contract/alarms.ts';
import { Rejected, Unreachable } from './send-errors.ts';

const NO_APP =
  'No desktop app of yours is connected to this host: open it on the machine on which you want to see notifications';

/** What an app has made of a notice. */
type Shown = (isShown: boolean) => void;

/**
 * The desktop apps that follow this host, by user. A notice counts as sent once an app says that it has shown it; an app that is
 * told of the same id twice shows it once.
 */
export class DesktopApps {
  readonly #apps = new Map<string, Set<(notice: DesktopNotice) => void>>();
  readonly #waiting = new Map<string, Shown>();
  readonly #arrived: (userId: string) => void;

  /** `arrived` is called when an app begins to follow: what waits for it may be sent now. */
  constructor(arrived: (userId: string) => void) {
    this.#arrived = arrived;
  }

  /** An app follows from now on. Returns the function that ends this. */
  follow(userId: string, push: (notice: DesktopNotice) => void): () => void {
    const apps = this.#apps.get(userId) ?? new Set();
    this.#apps.set(userId, apps.add(push));
    this.#arrived(userId);
    return () => {
      apps.delete(push);
      if (apps.size === 0 && this.#apps.get(userId) === apps) this.#apps.delete(userId);
    };
  }

  /** An app has shown a notice, or shows none because its person wants none. */
  settle(userId: string, id: string, isShown: boolean): void {
    this.#waiting.get(`${userId} ${id}`)?.(isShown);
  }

  /** Has the apps of a user show a notice. Rejects with Unreachable without one that answers, Rejected where none may show it. */
  show(userId: string, notice: DesktopNotice, signal: AbortSignal): Promise<void> {
    const apps = this.#apps.get(userId);
    if (apps === undefined) return Promise.reject(new Unreachable(NO_APP));
    const key = `${userId} ${notice.id}`;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = (): void => reject(new Unreachable('The desktop app did not say that it showed the notification'));
    signal.addEventListener('abort', late, { once: true });
    this.#waiting.set(key, (isShown) => {
      if (isShown) resolve();
      else reject(new Rejected('Notifications are off in the desktop app: Settings, Desktop app switches them on'));
    });
    for (const push of apps) push(notice);
    return promise.finally(() => {
      signal.removeEventListener('abort', late);
      this.#waiting.delete(key);
    });
  }
}
