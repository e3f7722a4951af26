import { PlatformError } from '../../contract/errors.ts';

interface Failures {
  readonly count: number;
  readonly blockedUntil: number;
}

const FREE = 5;
const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 15 * 60_000;
const MOST = 10_000;

/**
 * Slows down guessing: after five failures each further one makes the caller wait, twice as long each time, up to a
 * quarter of an hour. Memory is bounded; the oldest entries go first.
 */
export class Attempts {
  readonly #failures = new Map<string, Failures>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws RATE_LIMITED while the caller has to wait. */
  check(who: string): void {
    const wait = (this.#failures.get(who)?.blockedUntil ?? 0) - this.#now();
    if (wait <= 0) return;
    const seconds = Math.ceil(wait / 1000);
    throw new PlatformError('RATE_LIMITED', 'Too many failed attempts', {
      hint: `Wait ${seconds} s and try again.`,
      retryAfter: seconds,
    });
  }

  failed(who: string): void {
    const count = (this.#failures.get(who)?.count ?? 0) + 1;
    const wait = count < FREE ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(count - FREE, 20));
    this.#failures.delete(who);
    this.#failures.set(who, { count, blockedUntil: this.#now() + wait });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST && oldest !== undefined) this.#failures.delete(oldest);
  }

  succeeded(who: string): void {
    this.#failures.delete(who);
  }
}
