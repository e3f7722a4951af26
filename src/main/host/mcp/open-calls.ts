import { PlatformError } from '../../../contract/errors.ts';

/** Does work for as long as its caller waits. `ended` is aborted when that is over, with the PlatformError to answer with, if any. */
export type WhileOpen = <T>(work: (ended: AbortSignal) => Promise<T>) => Promise<T>;

/** Open calls by key, so that no key takes more than its share. */
export class OpenOfKeys {
  readonly #counts = new Map<string, number>();
  readonly #most: number;
  readonly #what: string;

  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  /** Counts one more; the returned function ends it. Throws RATE_LIMITED. */
  open(who: string): () => void {
    const count = this.#counts.get(who) ?? 0;
    if (count >= this.#most) {
      throw new PlatformError('RATE_LIMITED', `A key holds at most ${this.#most} ${this.#what}`, {
        hint: 'Close some of them.',
        retryAfter: 10,
      });
    }
    this.#counts.set(who, count + 1);
    return () => {
      const left = (this.#counts.get(who) ?? 1) - 1;
      if (left === 0) this.#counts.delete(who);
      else this.#counts.set(who, left);
    };
  }
}

/** A call among several: after a wait the key might be gone, and the calls behind it would still be done. */
export const refuseOpenCall: WhileOpen = () => {
  throw new PlatformError('INVALID_REQUEST', 'A call that waits comes alone, not in a batch', {
    hint: 'Send it as a request of its own.',
  });
};

const callName = (who: string, id: unknown): string => JSON.stringify([who, id]);

/** Calls that wait now, by their caller and the id of their request: a client without a session cancels by another request. */
export class WaitingCalls {
  readonly #cancels = new Map<string, Set<() => void>>();

  /** Listens for the cancellation of a call; the returned function stops that. */
  onCancel(who: string, id: unknown, cancel: () => void): () => void {
    const name = callName(who, id);
    const cancels = this.#cancels.get(name) ?? new Set();
    this.#cancels.set(name, cancels.add(cancel));
    return () => {
      cancels.delete(cancel);
      if (cancels.size === 0 && this.#cancels.get(name) === cancels) this.#cancels.delete(name);
    };
  }

  /** Ends the calls with this id. Clients that share a key may share ids, too: each is answered, and may call again. */
  cancel(who: string, id: unknown): void {
    for (const cancel of this.#cancels.get(callName(who, id)) ?? []) cancel();
  }
}
