/** A quiet bot's log is looked at this often; the first time soon after the start. */
const EVERY_MS = 60_000;
const FIRST_MS = 1000;

/**
 * Whose turn it is to remove old lines: the bot that waited longest, and in every other turn one that has more to do at once.
 * No question takes longer with more bots.
 */
export class RetentionTurns {
  /** In the order of their times: each bot that had its turn waits equally long for the next one. */
  readonly #dueAt = new Map<string, number>();
  readonly #hurried = new Set<string>();
  #wasHurried = false;

  has(botId: string): boolean {
    return this.#dueAt.has(botId);
  }

  add(botId: string, now: number): void {
    if (!this.#dueAt.has(botId)) this.#dueAt.set(botId, now + FIRST_MS);
  }

  remove(botId: string): void {
    this.#dueAt.delete(botId);
    this.#hurried.delete(botId);
  }

  /** Gives a bot that is known its next turn at once. */
  hurry(botId: string): void {
    if (this.#dueAt.has(botId)) this.#hurried.add(botId);
  }

  hurryAll(): void {
    for (const botId of this.#dueAt.keys()) this.#hurried.add(botId);
  }

  /** Returns the bot whose turn it is; null for none now. Call `done` after it. */
  next(now: number): string | null {
    const [first] = this.#dueAt;
    const due = first !== undefined && first[1] <= now ? first[0] : null;
    const [hurried = null] = this.#hurried;
    this.#wasHurried = hurried !== null && (due === null || !this.#wasHurried);
    return this.#wasHurried ? hurried : due;
  }

  /** The bot had its turn; `more`: it goes on at once. */
  done(botId: string, more: boolean, now: number): void {
    this.remove(botId);
    this.#dueAt.set(botId, now + EVERY_MS);
    if (more) this.#hurried.add(botId);
  }

  /** Time of the next turn; Infinity without bots. */
  get nextAt(): number {
    if (this.#hurried.size > 0) return 0;
    const [first] = this.#dueAt.values();
    return first ?? Number.POSITIVE_INFINITY;
  }
}
