import { useEffect } from 'react';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { DEFAULT_PREFERENCES, MUTED_MAX } from '../../contract/preference-choices.ts';
import type { Preferences } from '../../contract/preferences.ts';
import { useHost } from './connection-and-user.ts';
import { toHostError } from './host-error.ts';
import type { HostSocket } from './socket.ts';
import { toastFailed } from './toasts.ts';

export const THEMES = ['system', 'dark', 'light'] as const satisfies readonly Preferences['theme'][];
export type Theme = Preferences['theme'];
/** Clock in which times are shown; the tooltip has the other. */
export type Zone = Preferences['zone'];

/**
 * Display settings of the person at this page. The host keeps them for each user; the page shows those that this browser knew
 * last until the host has answered, so that nothing changes before one's eyes.
 */
export const usePreferences = create<Preferences>()(
  persist((): Preferences => DEFAULT_PREFERENCES, { name: 'platform-preferences' }),
);

type Client = Pick<HostSocket, 'call' | 'read' | 'link' | 'onLink'>;
type Change = Partial<Preferences>;

/** Sends choices to the host, and applies the host's to the page. Unsent choices follow when the host is back. */
export class PreferenceSync {
  readonly #client: Client;
  readonly #show: (change: Change) => void;
  readonly #failed: (thrown: unknown) => void;
  #unsent: Change = {};
  #busy = false;
  /** A send was requested since the last one began. */
  #wanted = false;
  #left = false;

  constructor(client: Client, show: (change: Change) => void, failed: (thrown: unknown) => void) {
    this.#client = client;
    this.#show = show;
    this.#failed = failed;
  }

  /** Reads the preferences now, and again each time the connection is back; the returned function stops that. */
  start(): () => void {
    void this.#read();
    let lost = this.#client.link !== 'open';
    const unlink = this.#client.onLink((link) => {
      if (link === 'open' && lost) void this.#send().then(() => this.#read());
      lost = link !== 'open';
    });
    return () => {
      this.#left = true;
      unlink();
    };
  }

  change(change: Change): void {
    this.#show(change);
    this.#unsent = { ...this.#unsent, ...change };
    void this.#send();
  }

  async #read(): Promise<void> {
    try {
      const stored = await this.#client.read('preferences.get', {});
      // A choice made meanwhile is newer.
      if (!this.#left) this.#show({ ...stored, ...this.#unsent });
    } catch (thrown) {
      if (!this.#isLost(thrown)) this.#failed(thrown);
    }
  }

  async #send(): Promise<void> {
    this.#wanted = true;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#wanted) {
      this.#wanted = false;
      await this.#sendOnce();
    }
    this.#busy = false;
  }

  async #sendOnce(): Promise<void> {
    const change = this.#unsent;
    if (Object.keys(change).length === 0) return;
    try {
      await this.#client.call('preferences.set', change);
      const left = Object.entries(this.#unsent).filter(([name, value]) => ownOf(change, name) !== value);
      this.#unsent = Object.fromEntries(left);
    } catch (thrown) {
      if (this.#isLost(thrown)) return;
      this.#unsent = {};
      this.#failed(thrown);
    }
  }

  #isLost(thrown: unknown): boolean {
    return this.#left || toHostError(thrown).code === 'CONNECTION_LOST';
  }
}

const ownOf = (change: Change, name: string): unknown => Object.getOwnPropertyDescriptor(change, name)?.value;

let sync: PreferenceSync | null = null;

/** Makes a choice, here at once and for this user everywhere. */
export function choose(change: Change): void {
  if (sync === null) usePreferences.setState(change);
  else sync.change(change);
}

/**
 * Stops or resumes the desktop app's reports to this user of failures of a bot. Beyond MUTED_MAX, the bots muted longest drop
 * out.
 */
export function muteBot(botId: string, isMuted: boolean): void {
  const others = usePreferences.getState().muted_bots.filter((one) => one !== botId);
  choose({ muted_bots: isMuted ? [...others, botId].slice(-MUTED_MAX) : others });
}

/** Keeps the choices of this page equal to the host's, for as long as the page is open. */
export function useFollowPreferences(): void {
  const { socket, who } = useHost();
  useEffect(() => {
    // A read-only session changes the look of this page only.
    if (who.scope !== 'full') return;
    const mine = new PreferenceSync(
      socket,
      (change) => usePreferences.setState(change),
      (thrown) => toastFailed('Your choices are kept in this browser only', thrown),
    );
    sync = mine;
    const stop = mine.start();
    return () => {
      sync = null;
      stop();
    };
  }, [socket, who.scope]);
}
