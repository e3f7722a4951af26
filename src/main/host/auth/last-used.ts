import { isDiskFull } from '../../../node/storage-error.ts';

/** Precision of "last used": a write for every request would cost too much. */
const STEP_MS = 60_000;

/**
 * The last use of each key or session. A use that cannot be written stays in memory, so that no request fails for it.
 */
export class LastUsed {
  readonly #write: (id: string, at: number) => void;
  readonly #onError: (where: string, error: unknown) => void;
  readonly #kept = new Map<string, number>();

  constructor(write: (id: string, at: number) => void, onError: (where: string, error: unknown) => void) {
    this.#write = write;
    this.#onError = onError;
  }

  /** The last use, given the table's value `stored`. */
  at(id: string, stored: number | null): number | null {
    return this.#kept.get(id) ?? stored;
  }

  /** Records a use, unless the last one (`before` in the table) was a moment ago. */
  note(id: string, before: number | null, now: number): void {
    const last = this.at(id, before);
    if (last !== null && now - last < STEP_MS) return;
    this.#kept.set(id, now);
    this.#settle(id, now);
  }

  /** Writes what could not be written before. */
  settle(): void {
    for (const [id, at] of this.#kept) if (!this.#settle(id, at)) return;
  }

  #settle(id: string, at: number): boolean {
    try {
      this.#write(id, at);
    } catch (error) {
      // The next change that matters reports the full disk.
      if (!isDiskFull(error)) this.#onError('the time of a last use', error);
      return false;
    }
    this.#kept.delete(id);
    return true;
  }
}
