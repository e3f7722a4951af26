import type { AlarmEventName } from '../../../contract/alarm-choices.ts';
import { isUnwritable } from '../../../node/storage-error.ts';
import type { AlarmStore } from '../control/alarm-store.ts';
import type { ImpliedEvent } from './alarm-fact.ts';
import type { Outbox } from './outbox.ts';

/** What waits for a disk that can be written; the oldest is dropped beyond this. */
const MOST_WAITING = 200;

/** Something about the host, or about the account of one user. */
export interface HostFact {
  readonly event: AlarmEventName;
  readonly title: string;
  readonly text: string;
  /** When it happened, if that is not now; ms since the epoch. */
  readonly at?: number;
  /** Name of the incident that begins with it. */
  readonly incident?: string;
}

/** What is stored in one transaction: alarms of the host, and marks from which the next host would conclude the same. */
export interface HostTelling {
  /** Tells all owners. */
  raise(fact: HostFact): void;
  /** Ends an incident of the host. */
  recover(incident: string, title: string, text: string): void;
}

/** Raises alarms about the host, for all its owners, and about accounts. */
export class HostAlarms {
  readonly #store: AlarmStore;
  readonly #outbox: Outbox;
  readonly #newId: (prefix: string) => string;
  readonly #now: () => number;
  readonly #onError: (where: string, error: unknown) => void;
  #waiting: { readonly what: string; readonly work: () => void }[] = [];

  constructor(deps: {
    readonly store: AlarmStore;
    readonly outbox: Outbox;
    readonly newId: (prefix: string) => string;
    readonly now: () => number;
    readonly onError: (where: string, error: unknown) => void;
  }) {
    this.#store = deps.store;
    this.#outbox = deps.outbox;
    this.#newId = deps.newId;
    this.#now = deps.now;
    this.#onError = deps.onError;
  }

  /** Tells all owners. */
  raise(fact: HostFact): void {
    this.tell(fact.event, (telling) => telling.raise(fact));
  }

  /** Tells one user over every channel that works, whatever the rules say. */
  tellAll(userId: string, event: ImpliedEvent, title: string, text: string): void {
    this.tell(event, () => this.#outbox.tellAll(userId, event, title, text));
  }

  /** Ends an incident of the host. */
  recover(incident: string, title: string, text: string): void {
    this.tell(incident, (telling) => telling.recover(incident, title, text));
  }

  /**
   * Stores all of the work or nothing, with the present time. What a full disk refuses is stored by `settle` once there is space;
   * another error goes to the log of the host: what happened must not be made worse.
   */
  tell(what: string, work: (telling: HostTelling) => void): void {
    const at = this.#now();
    const stored = { what, work: () => work(this.#tellingAt(at)) };
    if (this.#attempt(stored)) return;
    this.#waiting.push(stored);
    this.#waiting.splice(0, this.#waiting.length - MOST_WAITING);
  }

  /** Stores what a full disk refused before. */
  settle(): void {
    while (this.#waiting[0] !== undefined && this.#attempt(this.#waiting[0], false)) this.#waiting.shift();
  }

  /**
   * Tells one user, in the transaction that is open: together with `source`, the row of which it tells, or not at all. A fault of
   * alarms keeps nobody from logging in; a disk that cannot be written ends the transaction.
   */
  raiseWith(userId: string, source: string, { event, title, text, at = this.#now() }: HostFact): void {
    try {
      this.#store.savepoint(() => this.#outbox.raise({ event, userId, source, botId: null, at, title, text }));
    } catch (error) {
      this.#outbox.forget(userId);
      if (isUnwritable(error)) throw error;
      this.#onError(`alarm about ${event}`, error);
    }
  }

  #tellingAt(now: number): HostTelling {
    return {
      raise: ({ event, title, text, at = now, incident }) => {
        const opens = incident === undefined ? {} : { incident };
        for (const userId of this.#store.owners()) {
          const source = this.#newId('evt');
          this.#outbox.raise({ event, userId, source, botId: null, at, title, text, ...opens });
        }
      },
      recover: (incident, title, text) => {
        for (const userId of this.#store.owners()) {
          const source = this.#newId('evt');
          this.#outbox.recover({ userId, source, botId: null, at: now, incidents: [incident], title, text });
        }
      },
    };
  }

  /** Returns false if it is to be tried again. */
  #attempt({ what, work }: { readonly what: string; readonly work: () => void }, isReported = true): boolean {
    try {
      this.#store.transaction(work);
      return true;
    } catch (error) {
      for (const userId of this.#store.owners()) this.#outbox.forget(userId);
      if (isReported || !isUnwritable(error)) this.#onError(`alarm about ${what}`, error);
      return !isUnwritable(error);
    }
  }
}
