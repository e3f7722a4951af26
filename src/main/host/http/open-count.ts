import type { ServerResponse } from 'node:http';
import { PlatformError } from '../../../contract/errors.ts';

/** Counts answers that stay open, for each caller: some megabytes may wait in each for a reader that is slow. */
export class OpenCount {
  readonly #counts = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts an answer until it is over. Throws RATE_LIMITED for a caller who has too many. */
  add(who: string, response: ServerResponse): void {
    const count = this.#counts.get(who) ?? 0;
    if (count >= this.#most) {
      throw new PlatformError('RATE_LIMITED', `A key holds at most ${this.#most} streams open`, {
        hint: 'Close some of them.',
        retryAfter: 10,
      });
    }
    this.#counts.set(who, count + 1);
    response.once('close', () => {
      const left = (this.#counts.get(who) ?? 1) - 1;
      if (left === 0) this.#counts.delete(who);
      else this.#counts.set(who, left);
    });
  }
}
