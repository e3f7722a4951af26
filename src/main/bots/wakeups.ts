/** Waits of bots for their next attempt. */
export class Wakeups {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Bots whose wait is over by the steady clock, whatever the wall clock says since. */
  readonly #over = new Set<string>();
  readonly #wake: (botId: string) => void;

  constructor(wake: (botId: string) => void) {
    this.#wake = wake;
  }

  waits(botId: string): boolean {
    return this.#timers.has(botId);
  }

  /** Wakes the bot after so many ms; an earlier wait of it ends. */
  later(botId: string, ms: number): void {
    this.end(botId);
    const timer = setTimeout(
      () => {
        this.#timers.delete(botId);
        this.#over.add(botId);
        this.#wake(botId);
      },
      Math.min(ms, 2 ** 31 - 1),
    );
    this.#timers.set(botId, timer);
  }

  isOver(botId: string): boolean {
    return this.#over.has(botId);
  }

  /** Ends the wait of a bot: it runs, or is not to run. One that goes on would cut short the wait after its next failure. */
  end(botId: string): void {
    clearTimeout(this.#timers.get(botId));
    this.#timers.delete(botId);
    this.#over.delete(botId);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
