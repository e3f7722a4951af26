import { PlatformError } from '../../../contract/errors.ts';

interface Failures {
  readonly count: number;
  readonly at: number;
  readonly blockedUntil: number;
}

const FREE = 5;
const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Failures are forgotten this long after the last one; longer than the longest wait. */
const FORGET_MS = 60 * 60_000;
const MOST = 10_000;

/** How long a caller waits after so many failures in a row, in ms. */
export function waitAfter(failures: number): number {
  return failures < FREE ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - FREE, 20));
}

/** RATE_LIMITED for a caller who has to wait so long, in ms. */
export function tooManyAttempts(waitMs: number): PlatformError {
  const seconds = Math.ceil(waitMs / 1000);
  return new PlatformError('RATE_LIMITED', 'Too many failed attempts', {
    hint: `Wait ${seconds} s and try again.`,
    retryAfter: seconds,
  });
}

/**
 * Slows down guessing: from the fifth failure on, each makes the caller wait, twice as long each time, up to a quarter
 * of an hour. Memory is bounded; callers that need not wait are dropped first.
 */
export class Attempts {
  readonly #failures = new Map<string, Failures>();
  readonly #running = new Map<string, number>();
  readonly #now: () => number;
  readonly #most: number;

  constructor(now: () => number, most = MOST) {
    this.#now = now;
    this.#most = most;
  }

  /**
   * Runs one attempt; `work` says whether it succeeded. Attempts under way count as failures until they end, so that
   * guesses sent all at once are no more than guesses sent one by one. Throws RATE_LIMITED while the caller has to wait.
   */
  async run(who: string, work: () => Promise<boolean>): Promise<boolean> {
    this.check(who);
    const running = this.#running.get(who) ?? 0;
    if (running >= Math.max(1, FREE - this.#count(who))) throw tooManyAttempts(FIRST_WAIT_MS);
    this.#running.set(who, running + 1);
    try {
      const right = await work();
      if (right) this.#failures.delete(who);
      else this.failed(who);
      return right;
    } finally {
      const left = (this.#running.get(who) ?? 1) - 1;
      if (left === 0) this.#running.delete(who);
      else this.#running.set(who, left);
    }
  }

  /** Throws RATE_LIMITED while the caller has to wait. */
  check(who: string): void {
    const wait = (this.#failures.get(who)?.blockedUntil ?? 0) - this.#now();
    if (wait > 0) throw tooManyAttempts(wait);
  }

  failed(who: string): void {
    const now = this.#now();
    const count = this.#count(who) + 1;
    this.#failures.delete(who);
    if (this.#failures.size >= this.#most) this.#forgetOne(now);
    this.#failures.set(who, { count, at: now, blockedUntil: now + waitAfter(count) });
  }

  #count(who: string): number {
    const known = this.#failures.get(who);
    return known === undefined || this.#now() - known.at >= FORGET_MS ? 0 : known.count;
  }

  /** Made-up names that fill the memory must not free a caller who has to wait. */
  #forgetOne(now: number): void {
    const [oldest] = this.#failures.keys();
    for (const [who, { blockedUntil }] of this.#failures) {
      if (blockedUntil > now) continue;
      this.#failures.delete(who);
      return;
    }
    if (oldest !== undefined) this.#failures.delete(oldest);
  }
}
