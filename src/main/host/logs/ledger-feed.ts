import { errorText } from '../../../node/system-error.ts';
import { ledgerFile, openLedger } from '../ledger/ledger-database.ts';
import { LedgerWriter } from '../ledger/ledger-writer.ts';
import { type ChangedBook, LedgerChanges } from './ledger-changes.ts';
import { type WaitingRows, WaitingRowsOfBots } from './waiting-rows.ts';

/** Wait before another attempt to open a ledger that could not be opened. */
const OPEN_AGAIN_MS = 10_000;
/**
 * Interval in which the cursors of bots are stored that have written nothing for the ledger: after a kill as many lines are
 * looked through again.
 */
const STORE_EVERY_MS = 60_000;

/** The ledger of a host, opened when the first bot needs it. While it cannot be opened, rows wait in the logs. */
export class LedgerFeed {
  readonly #file: string;
  readonly #report: (message: string) => void;
  /** Rows that book nothing, of all bots, until they are stored together. */
  readonly waiting = new WaitingRowsOfBots();
  /** Books that have changed. */
  readonly changes: LedgerChanges;
  readonly #cursors = new Map<string, number>();
  #removed: string[] = [];
  #writer: LedgerWriter | null = null;
  #close: () => void = () => undefined;
  #openAt = 0;
  #storeAt = 0;
  #said = false;

  constructor(
    dataDir: string,
    report: (message: string) => void,
    tell: (changed: readonly ChangedBook[]) => void = () => undefined,
  ) {
    this.changes = new LedgerChanges(tell);
    this.#file = ledgerFile(dataDir);
    this.#report = report;
  }

  /** Null while the ledger cannot be opened. */
  get writer(): LedgerWriter | null {
    if (this.#writer !== null || performance.now() < this.#openAt) return this.#writer;
    try {
      const db = openLedger(this.#file);
      this.#close = () => db.close();
      this.#writer = new LedgerWriter(db, 'fifo');
      this.#said = false;
    } catch (error) {
      this.#failed(error);
    }
    return this.#writer;
  }

  /** Bots whose logs may have rows that the ledger lacks; null while it cannot be opened. */
  unsettled(): string[] | null {
    try {
      return this.writer?.unsettled() ?? null;
    } catch (error) {
      this.#failed(error);
      return null;
    }
  }

  /** Keeps a cursor that moved over rows without meaning for the ledger, to be stored later. */
  moved(botId: string, seq: number): void {
    this.#cursors.set(botId, seq);
  }

  /** The log of a bot is removed, and the ledger has everything of it. */
  removed(botId: string): void {
    this.#removed.push(botId);
  }

  /** Stores rows that wait and cursors, and tells of changed books, when it is time. */
  tick(now: number): void {
    this.#take(this.waiting.due(now));
    this.changes.tick(now);
    if (now < this.#storeAt) return;
    this.#storeAt = now + STORE_EVERY_MS;
    try {
      this.#store();
    } catch (error) {
      this.#report(`The ledger cannot be written (${errorText(error)}).`);
    }
  }

  /** Stores all cursors and closes the ledger. `settled`: bots of whose logs the ledger has everything. */
  close(settled: readonly string[]): void {
    if (this.#writer === null) return;
    try {
      this.#store();
      this.#writer.settled(settled);
    } catch (error) {
      // The next host looks through the logs again.
      this.#report(`The ledger cannot be written (${errorText(error)}).`);
    } finally {
      this.#close();
      this.#writer = null;
    }
  }

  #store(): void {
    if (this.#writer === null) return;
    if (this.#cursors.size > 0) this.#writer.setCursors(this.#cursors);
    this.#cursors.clear();
    if (this.#removed.length > 0) this.#writer.settled(this.#removed);
    this.#removed = [];
  }

  /** Stores what waits now, whoever's it is: a host that closes has then nothing to catch up with. */
  takeWaiting(): void {
    this.#take(this.waiting.all());
  }

  #take(waiting: readonly WaitingRows[]): void {
    if (waiting.length === 0) return;
    let isTaken = false;
    try {
      const { writer } = this;
      writer?.applyAll(waiting);
      isTaken = writer !== null;
    } catch (error) {
      this.#report(
        `The ledger cannot be written (${errorText(error)}): its rows are kept in the logs and booked later.`,
      );
    }
    for (const { done } of waiting) done(isTaken);
  }

  #failed(error: unknown): void {
    this.#openAt = performance.now() + OPEN_AGAIN_MS;
    if (!this.#said)
      this.#report(`The ledger cannot be opened (${errorText(error)}). Its rows wait in the logs of bots.`);
    this.#said = true;
  }
}
