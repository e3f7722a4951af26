import type { ControlDatabase } from './control-database.ts';

/**
 * Rows that were read, until the store that keeps them writes them. What is read within a transaction is not kept: it may
 * still be taken back. There is no bound: keys are ids of bots, and one list of all bots holds as much.
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
    if (!this.#db.inTransaction) this.#known.set(key, value);
    return value;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
