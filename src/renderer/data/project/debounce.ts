interface Waiting {
  readonly timer: ReturnType<typeof setTimeout>;
  readonly since: number;
  readonly run: () => void;
}

/** Runs tasks once nothing has requested them again for a while, but never much later than the first request. */
export class Debounce {
  readonly #waiting = new Map<string, Waiting>();
  readonly #failed: (thrown: unknown) => void;
  #closed = false;

  constructor(failed: (thrown: unknown) => void) {
    this.#failed = failed;
  }

  /**
   * Waits `quietMs` after the last request, at most `mostMs` after the first: endless requests would otherwise delay a task for
   * ever.
   */
  do(key: string, quietMs: number, mostMs: number, work: () => Promise<void>): void {
    if (this.#closed) return;
    const before = this.#waiting.get(key);
    clearTimeout(before?.timer);
    const since = before?.since ?? Date.now();
    const run = (): void => {
      this.#waiting.delete(key);
      work().catch((thrown: unknown) => {
        if (!this.#closed) this.#failed(thrown);
      });
    };
    const timer = setTimeout(run, Math.max(0, Math.min(quietMs, since + mostMs - Date.now())));
    this.#waiting.set(key, { timer, since, run });
  }

  /** Runs the waiting task of a key now, if any. */
  hurry(key: string): void {
    const waiting = this.#waiting.get(key);
    clearTimeout(waiting?.timer);
    waiting?.run();
  }

  /** Cancels a task; false when none was waiting. */
  cancel(key: string): boolean {
    clearTimeout(this.#waiting.get(key)?.timer);
    return this.#waiting.delete(key);
  }

  /** Cancels all tasks, and accepts no more. */
  close(): void {
    this.#closed = true;
    for (const key of [...this.#waiting.keys()]) this.cancel(key);
  }
}
