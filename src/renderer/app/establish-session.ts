import type { AuthStatus } from '../../contract/account.ts';
import { type HostError, toHostError } from '../data/host-error.ts';

/** Requests with which the page reads its session, and logs in with a link. */
export interface Door {
  readonly readSession: () => Promise<AuthStatus | null>;
  readonly enter: (ticket: string) => Promise<void>;
}

export type Entry =
  | { readonly at: 'sign in'; readonly error: HostError | null }
  | { readonly at: 'away'; readonly error: HostError }
  /** Another user is logged in, who alone can decide whether to switch to the link's user. */
  | { readonly at: 'choose'; readonly who: AuthStatus; readonly ticket: string }
  | { readonly at: 'in'; readonly who: AuthStatus };

/** Codes of the host's answers to a ticket that will never work. */
const NO_GOOD: ReadonlySet<string> = new Set(['INVALID_CREDENTIALS', 'INVALID_REQUEST', 'FORBIDDEN']);

/** Finds out the user of the page, with the log-in link that brought it here, if any. */
export class Entrance {
  readonly #door: Door;
  #ticket: string | null = null;
  /** True after the ticket was sent without an answer: a session that is there now is its own. */
  #isSent = false;

  constructor(door: Door) {
    this.#door = door;
  }

  /** Takes the ticket of a link that was opened. */
  take(ticket: string): void {
    this.#ticket = ticket;
    this.#isSent = false;
  }

  async look(): Promise<Entry> {
    try {
      const who = await this.#door.readSession();
      const ticket = this.#ticket;
      if (ticket === null) return who === null ? { at: 'sign in', error: null } : { at: 'in', who };
      if (who !== null) {
        this.#ticket = null;
        return this.#isSent ? { at: 'in', who } : { at: 'choose', who, ticket };
      }
      return await this.#enter(ticket);
    } catch (thrown) {
      // The ticket stays for the next attempt.
      return { at: 'away', error: toHostError(thrown) };
    }
  }

  async #enter(ticket: string): Promise<Entry> {
    this.#isSent = true;
    try {
      await this.#door.enter(ticket);
    } catch (thrown) {
      const error = toHostError(thrown);
      if (!NO_GOOD.has(error.code)) throw error;
      this.#ticket = null;
      return { at: 'sign in', error };
    }
    const who = await this.#door.readSession();
    this.#ticket = null;
    return who === null ? { at: 'sign in', error: null } : { at: 'in', who };
  }
}
