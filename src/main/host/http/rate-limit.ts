import { PlatformError } from '../../../contract/errors.ts';
import type { CallRate } from '../api/api-types.ts';

interface Bucket {
  tokens: number;
  at: number;
}

/** Requests that one caller may send. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

const MOST_BUCKETS = 10_000;

/** Processor time for which a costly call counts as one request more. */
const MS_PER_REQUEST = 2.5;

/** A token bucket for each caller. Memory is bounded: the callers that were away longest are forgotten first. */
export class RateLimit implements CallRate {
  readonly #buckets = new Map<string, Bucket>();
  /** The caller of the last request, which is already the last one in the map. */
  #newest: string | null = null;
  readonly #rate: Rate;
  readonly #now: () => number;

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Does a costly call. It counts for further requests; a debt is paid back before the next one is let in. */
  async weighed<T>(who: string, call: () => Promise<T>): Promise<T> {
    const begun = process.threadCpuUsage();
    try {
      return await call();
    } finally {
      const bucket = this.#buckets.get(who);
      const { user, system } = process.threadCpuUsage(begun);
      const requests = (user + system) / 1000 / MS_PER_REQUEST;
      if (bucket !== undefined) bucket.tokens = Math.max(-this.#rate.burst, bucket.tokens - requests);
    }
  }

  /** Counts a request; throws RATE_LIMITED with the seconds to wait. */
  take(who: string): void {
    const now = this.#now();
    const { perSecond, burst } = this.#rate;
    const bucket = this.#buckets.get(who) ?? { tokens: burst, at: now };
    const refill = (Math.max(0, now - bucket.at) / 1000) * perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + refill);
    bucket.at = now;
    if (who !== this.#newest) {
      this.#newest = who;
      this.#buckets.delete(who);
      this.#buckets.set(who, bucket);
    }
    if (this.#buckets.size > MOST_BUCKETS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    if (bucket.tokens < 1) {
      const wait = Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      throw new PlatformError('RATE_LIMITED', 'Too many requests', {
        hint: `Wait ${wait} s and try again.`,
        retryAfter: wait,
      });
    }
    bucket.tokens -= 1;
  }
}
