import type { PlatformError } from '../../../contract/errors.ts';

/** Time for which `finish` waits while the log cannot be written; the rows are stored later in any case. */
const PATIENCE_MS = 10_000;

interface Waiter {
  readonly runId: string;
  resolve(): void;
  readonly timer: NodeJS.Timeout;
}

/** Callers of `finish` of one bot, by run. */
export class StoredOutputWaiters {
  #waiters: Waiter[] = [];

  /** Settles when `done(runId)` is called, or fails after ten seconds with `why()`; null continues the wait. */
  add(runId: string, why: () => PlatformError | null): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setInterval(() => {
        const error = why();
        if (error === null) return;
        this.#drop((waiter) => waiter.timer === timer);
        reject(error);
      }, PATIENCE_MS);
      this.#waiters.push({ runId, resolve, timer });
    });
  }

  runs(): Set<string> {
    return new Set(this.#waiters.map((waiter) => waiter.runId));
  }

  done(runId: string): void {
    for (const waiter of this.#drop((candidate) => candidate.runId === runId)) waiter.resolve();
  }

  /** Ends all waits because the bot is being removed. */
  clear(): void {
    for (const waiter of this.#drop(() => true)) waiter.resolve();
  }

  #drop(test: (waiter: Waiter) => boolean): Waiter[] {
    const dropped = this.#waiters.filter(test);
    this.#waiters = this.#waiters.filter((waiter) => !test(waiter));
    for (const waiter of dropped) clearInterval(waiter.timer);
    return dropped;
  }
}
