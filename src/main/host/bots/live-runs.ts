import type { LiveRun } from './live-run.ts';

const NONE: readonly LiveRun[] = [];

/** The runs that this host supervises, by bot. */
export class LiveRuns {
  readonly #byBot = new Map<string, Set<LiveRun>>();

  of(botId: string): readonly LiveRun[] {
    const set = this.#byBot.get(botId);
    return set === undefined ? NONE : [...set];
  }

  all(): readonly LiveRun[] {
    return [...this.#byBot.values()].flatMap((set) => [...set]);
  }

  has(live: LiveRun): boolean {
    return this.#byBot.get(live.botId)?.has(live) === true;
  }

  add(live: LiveRun): void {
    const set = this.#byBot.get(live.botId) ?? new Set();
    set.add(live);
    this.#byBot.set(live.botId, set);
  }

  remove(live: LiveRun): void {
    const set = this.#byBot.get(live.botId);
    set?.delete(live);
    if (set?.size === 0) this.#byBot.delete(live.botId);
  }
}
