import type { LedgerSourceRow } from '../ledger/book-writer.ts';

/** Longest wait of a row: a price is shown with its age, which this makes no worse than a look at a page. */
const WAIT_MS = 1000;

/** Rows of a bot, which its log has up to a seq. */
export interface WaitingRows {
  readonly botId: string;
  readonly rows: readonly LedgerSourceRow[];
  readonly upTo: number;
  /** Time from which the first of them waits, by performance.now(): rows that are taken out and put back keep it. */
  readonly since: number;
  /** Called once they are stored, or could not be. */
  readonly done: (isTaken: boolean) => void;
}

/**
 * Rows that wait to be stored together: a transaction for each bot that writes a price every moment costs more than all their
 * rows. They are in the logs, and the cursors stand before them, so that a kill loses none.
 */
export class WaitingRowsOfBots {
  readonly #byBot = new Map<string, WaitingRows>();

  put(rows: WaitingRows): void {
    this.#byBot.set(rows.botId, rows);
  }

  /** Takes the rows of a bot out; undefined where none wait. */
  take(botId: string): WaitingRows | undefined {
    const found = this.#byBot.get(botId);
    this.#byBot.delete(botId);
    return found;
  }

  /** Takes all rows out when the oldest has waited long enough (`now` by performance.now()); else none. */
  due(now: number): readonly WaitingRows[] {
    return [...this.#byBot.values()].some(({ since }) => now - since >= WAIT_MS) ? this.all() : [];
  }

  all(): readonly WaitingRows[] {
    const found = [...this.#byBot.values()];
    this.#byBot.clear();
    return found;
  }
}
