interface Waiting {
  readonly at: number;
  readonly job: () => void;
}

/** Stands in for setTimeout: time passes only when the test says so. */
export class SteadyTimers {
  #now = 0;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();
  readonly #real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

  /** Takes the place of the timers of this process until `restore`. */
  install(): void {
    const set = (job: () => void, ms = 0): unknown => {
      const id = this.#next;
      this.#next += 1;
      this.#waiting.set(id, { at: this.#now + ms, job });
      return { id, unref: () => ({ id }), ref: () => ({ id }) };
    };
    const clear = (timer: { readonly id: number } | undefined): void => {
      if (timer !== undefined) this.#waiting.delete(timer.id);
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }

  restore(): void {
    Object.assign(globalThis, this.#real);
  }

  /** Forgets all timers. */
  reset(): void {
    this.#waiting.clear();
  }

  /** Lets time pass, and does what is due by then. */
  pass(ms: number): void {
    this.#now += ms;
    const due = [...this.#waiting].filter(([, { at }]) => at <= this.#now).sort(([, a], [, b]) => a.at - b.at);
    for (const [id, { job }] of due) if (this.#waiting.delete(id)) job();
  }
}
