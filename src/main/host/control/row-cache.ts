import type { ControlDatabase } from './control-database.ts';

/**
 * Caches rows until their store writes them. Reads within a transaction are not cached, since it may roll back. Needs
 * no bound: keys are ids of bots, and one list of all bots holds as many.
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

  clear(): void {
    this.#known.clear();
  }
}
