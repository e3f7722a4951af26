/**
 * Runs jobs of one key one after another, jobs of different keys in parallel. A failing job rejects its own promise
 * only.
 */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, job: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(job, job);
    const settled: Promise<void> = result.then(
      () => this.#done(key, settled),
      () => this.#done(key, settled),
    );
    this.#tails.set(key, settled);
    return result;
  }

  /** Resolves once nothing is queued or running. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }

  #done(key: string, settled: Promise<unknown>): void {
    if (this.#tails.get(key) === settled) this.#tails.delete(key);
  }
}
