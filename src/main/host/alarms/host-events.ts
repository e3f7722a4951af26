import type { AlarmEventName } from '../../../contract/alarm-choices.ts';
import type { AlarmStore } from '../control/alarm-store.ts';
import type { Outbox } from './outbox.ts';

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

/** Raises alarms about the host, for all its owners, and about accounts. */
export class HostAlarms {
  readonly #store: AlarmStore;
  readonly #outbox: Outbox;
  readonly #newId: (prefix: string) => string;
  readonly #now: () => number;
  readonly #onError: (where: string, error: unknown) => void;

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

  /** Tells all owners. An error goes to the log of the host: what happened must not be made worse. */
  raise(fact: HostFact): void {
    this.#attempt(fact.event, () => {
      for (const userId of this.#store.owners()) this.#raise(userId, fact);
    });
  }

  /** Tells one user. */
  raiseFor(userId: string, fact: HostFact): void {
    this.#attempt(fact.event, () => this.#raise(userId, fact));
  }

  /** Ends an incident of the host. */
  recover(incident: string, title: string, text: string): void {
    this.#attempt(incident, () => {
      for (const userId of this.#store.owners()) {
        const source = this.#newId('evt');
        this.#outbox.recover({ userId, source, botId: null, at: this.#now(), incidents: [incident], title, text });
      }
    });
  }

  #raise(userId: string, { event, title, text, at = this.#now(), incident }: HostFact): void {
    const source = this.#newId('evt');
    const opens = incident === undefined ? {} : { incident };
    this.#outbox.raise({ event, userId, source, botId: null, at, title, text, ...opens });
  }

  #attempt(what: string, work: () => void): void {
    try {
      this.#store.transaction(work);
    } catch (error) {
      this.#onError(`alarm about ${what}`, error);
    }
  }
}
