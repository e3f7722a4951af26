import type { ControlDatabase } from './control-database.ts';

const MOST_KNOWN = 10_000;

/**
 * Rows that were read, until the store that keeps them writes them. What is read within a transaction is not kept: it may
 * still be taken back.
 */
export class RowCache<V> {
  readonly #db: ControlDatabase;
  readonly #known = new Map<string, V>();

  constructor(db: ControlDatabase) {
    this.#db = db;
  }

  get(key: string): V | undefined {
    return this.#known.get(key);
  }

  /** Keeps what has just been read, and returns it. */
  keep(key: string, value: V): V {
    if (this.#db.inTransaction) return value;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  forgetAll(): void {
    this.#known.clear();
  }
}
