/** Lets at most `size` jobs run at a time; the others wait in order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(size: number) {
    this.#free = size;
  }

  /** True once the caller may run, false when the signal came first. A caller that got true must release. */
  take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const give = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        resolve(false);
      };
      this.#waiting.push(give);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** True when a turn was free at once: costs less than `take`. A caller that got true must release. */
  tryTake(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }

  get waiting(): number {
    return this.#waiting.length;
  }
}
