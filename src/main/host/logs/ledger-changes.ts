/** Interval of telling which books have changed. */
const TELL_EVERY_MS = 1000;

/** A bot whose books have changed: `booked` unless only prices, equity, rates or signals are new. */
export interface ChangedBook {
  readonly botId: string;
  readonly booked: boolean;
}

/** Books that have changed since somebody was told, while somebody wants to know. */
export class LedgerChanges {
  readonly #tell: (changed: readonly ChangedBook[]) => void;
  readonly #changed = new Map<string, boolean>();
  #isWatched = false;
  #tellAt = 0;

  constructor(tell: (changed: readonly ChangedBook[]) => void) {
    this.#tell = tell;
  }

  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#changed.clear();
  }

  add({ botId, booked }: ChangedBook): void {
    if (this.#isWatched) this.#changed.set(botId, booked || this.#changed.get(botId) === true);
  }

  /** Tells of what has changed when it is time; `now` by performance.now(). */
  tick(now: number): void {
    if (this.#changed.size === 0 || now < this.#tellAt) return;
    this.#tellAt = now + TELL_EVERY_MS;
    this.#tell([...this.#changed].map(([botId, booked]) => ({ botId, booked })));
    this.#changed.clear();
  }
}
