/** Timers of bots that back off, each of which restarts its bot. */
export class RestartTimers {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Bots whose wait is over by the steady clock, whatever the wall clock says since. */
  readonly #over = new Set<string>();

  of(botId: string): 'none' | 'set' | 'over' {
    if (this.#over.has(botId)) return 'over';
    return this.#timers.has(botId) ? 'set' : 'none';
  }

  /** Calls `restart` after `ms`, replacing an earlier timer of the bot. */
  set(botId: string, ms: number, restart: () => void): void {
    this.clear(botId);
    const timer = setTimeout(
      () => {
        this.#timers.delete(botId);
        this.#over.add(botId);
        restart();
      },
      Math.min(ms, 2 ** 31 - 1),
    );
    this.#timers.set(botId, timer);
  }

  /** The bot runs, or is not to run. A timer that stayed would cut short the wait after its next failure. */
  clear(botId: string): void {
    clearTimeout(this.#timers.get(botId));
    this.#timers.delete(botId);
    this.#over.delete(botId);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
