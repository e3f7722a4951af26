/** The instant that is pointed at, shared by all charts of a page. */
export class CursorLink {
  readonly #listeners = new Set<() => void>();
  #at: number | null = null;

  get at(): number | null {
    return this.#at;
  }

  readonly read = (): number | null => this.#at;

  point(at: number | null): void {
    if (at === this.#at) return;
    this.#at = at;
    for (const listener of this.#listeners) listener();
  }

  readonly follow = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
