import type { PlatformError } from '../../../contract/errors.ts';

/** The error for a caller that has waited this many milliseconds. */
export type Late = (ms: number) => PlatformError;

/**
 * The time limit of a query over all its steps: the wait for an image, a turn, an engine, the program. When it passes,
 * the caller gets its error at once; a step that has not ended continues in the background.
 */
export class Deadline {
  readonly #over = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #late: Late;

  constructor(ms: number, late: Late) {
    this.#late = late;
    this.#timer = setTimeout(() => this.end(this.#late(ms)), ms);
  }

  /** Aborted with the error that the caller gets. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Sets the error for the step that begins now. */
  next(late: Late): void {
    this.#late = late;
  }

  /** Ends the wait with this error, unless it has ended. */
  end(error: PlatformError): void {
    clearTimeout(this.#timer);
    this.#over.abort(error);
  }

  /** Ends the wait. */
  clear(): void {
    clearTimeout(this.#timer);
  }

  /** Resolves like the work, or rejects with the error once the time is over. The work itself continues. */
  async within<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    const cut = Promise.withResolvers<never>();
    const end = (): void => cut.reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      return await Promise.race([work, cut.promise]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }
}
