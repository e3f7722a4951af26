import type { ChangedBook } from './ledger-changes.ts';

/** Null: any book may have changed, because changes were missed. */
export type LedgerListener = (changed: readonly ChangedBook[] | null) => void;

/** Those who follow changes of the ledger. The ingest worker tells of changes only while there are any. */
export class LedgerWatchers {
  readonly #watch: (isWatched: boolean) => void;
  readonly #listeners = new Set<LedgerListener>();

  constructor(watch: (isWatched: boolean) => void) {
    this.#watch = watch;
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls the listener with each change until the returned function is called. */
  add(listener: LedgerListener): () => void {
    const own: LedgerListener = (changed) => listener(changed);
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.#watch(true);
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#watch(false);
    };
  }

  tell(changed: readonly ChangedBook[] | null): void {
    for (const listener of [...this.#listeners]) listener(changed);
  }
}
