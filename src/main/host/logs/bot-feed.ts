import { TradeMode } from '../../../contract/bot.ts';
import { errorText } from '../../../node/system-error.ts';
import type { LedgerSourceRow, LedgerWriter } from '../ledger/ledger-writer.ts';
import { bookedAt } from '../ledger/read-row.ts';
import { isLedgerType } from '../ledger/vocabulary.ts';
import type { BotLog } from './bot-log.ts';
import type { LedgerFeed } from './ledger-feed.ts';
import { DamagedLog } from './segment-set.ts';
import type { StoredMetric } from './stored-rows.ts';

/** Metrics that one step of a catch-up reads: a few milliseconds, so that no other bot waits. */
const STEP_ROWS = 500;
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 10_000;

/** What the feed of a bot needs of the bot's ingest. */
export interface FeedParts {
  readonly botId: string;
  readonly ledger: LedgerFeed;
  /** The log as it is stored; null while there is none. */
  readonly log: () => BotLog | null;
  readonly report: (message: string) => void;
  /** A file of the log turned out to be damaged. */
  readonly damaged: (file: string, message: string) => void;
}

/** A stored metric as a row of the ledger; null for one that means nothing to it. */
function sourceRow({ type, seq, ts, time, mode, data }: StoredMetric): LedgerSourceRow | null {
  if (!isLedgerType(type)) return null;
  return { seq, at: bookedAt(time, ts), type, text: data, mode: TradeMode.safeParse(mode).data ?? 'unverified' };
}

/**
 * Gives the rows of one bot's log to the ledger: those of a commit at once, and from the log those that it missed, because it
 * could not be written or the host was killed. The ledger takes each once, in the order of their seqs.
 */
export class BotFeed {
  readonly #parts: FeedParts;
  #isOpen = false;
  /** The ledger has every row up to this seq; null: not asked yet. */
  #taken: number | null = null;
  /** Seq of the last commit. */
  #end = 0;
  #failures = 0;
  #retryAt = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /**
   * The log was opened, and has rows up to a seq. Returns the seq above which new rows must be numbered: one beyond the log
   * if that has lost rows which the ledger has.
   */
  open(end: number): number {
    this.#isOpen = true;
    this.#end = Math.max(this.#end, end);
    this.#attempt((writer) => this.#begin(writer));
    this.#end = Math.max(this.#end, this.#taken ?? 0);
    return this.#end;
  }

  /** True while the ledger lacks rows of a log that was opened. */
  get isBehind(): boolean {
    return this.#isOpen && (this.#taken === null || this.#taken < this.#end);
  }

  /** True if the ledger has every row of a log that was opened. */
  get isSettled(): boolean {
    return this.#isOpen && !this.isBehind;
  }

  /** Takes what a commit has stored: all rows above the commit before, up to a seq. */
  committed(seq: number, rows: readonly LedgerSourceRow[]): void {
    const wasBehind = this.isBehind;
    this.#end = seq;
    if (wasBehind || this.#taken === seq) return;
    if (rows.length === 0) {
      this.#taken = seq;
      this.#parts.ledger.moved(this.#parts.botId, seq);
    } else this.#attempt((writer) => this.#apply(writer, rows, seq));
  }

  /** Does one step of a catch-up; true when there is more to do at once. */
  step(): boolean {
    if (!this.isBehind || performance.now() < this.#retryAt) return false;
    return this.#attempt((writer) => this.#catchUp(writer)) && this.isBehind;
  }

  /** Takes everything that is left, because the log will be removed. @throws Error if the ledger cannot be written */
  drain(): void {
    const { botId, ledger, log } = this.#parts;
    const { writer } = ledger;
    if (!this.#isOpen) {
      const stored = log();
      if (stored === null || writer?.stored(botId)?.isSettled === true) return;
      this.#isOpen = true;
      this.#end = stored.lastSeq();
    }
    if (writer === null) throw new Error('The ledger cannot be opened, and the log may have rows that it lacks');
    while (this.isBehind) this.#catchUp(writer);
    writer.settled([botId]);
  }

  /** True if the ledger has every row up to a seq, which may be beyond the end; also of a log that was not opened. */
  hasTaken(seq: number): boolean {
    if (this.#taken !== null) return this.#taken >= Math.min(seq, this.#end);
    const { writer } = this.#parts.ledger;
    if (writer === null) return false;
    const stored = writer.stored(this.#parts.botId);
    if (stored === undefined) return seq <= this.#reading((log) => log.ledgerStart(), 0);
    return stored.isSettled || stored.seq >= seq;
  }

  #begin(writer: LedgerWriter): void {
    this.#taken ??= writer.begin(this.#parts.botId, () => this.#reading((log) => log.ledgerStart(), 0));
  }

  #catchUp(writer: LedgerWriter): void {
    this.#begin(writer);
    const from = this.#taken ?? 0;
    const metrics = this.#reading((log) => log.metrics(null, from, this.#end + 1, 'asc', STEP_ROWS), []);
    const to = metrics.length < STEP_ROWS ? this.#end : (metrics.at(-1)?.seq ?? this.#end);
    this.#apply(
      writer,
      metrics.flatMap((metric) => sourceRow(metric) ?? []),
      Math.max(from, to),
    );
  }

  #apply(writer: LedgerWriter, rows: readonly LedgerSourceRow[], upTo: number): void {
    writer.apply(this.#parts.botId, rows, upTo);
    this.#taken = upTo;
  }

  /** Reads the log and closes its files, which some systems cannot remove while they are open. */
  #reading<Result>(read: (log: BotLog) => Result, without: Result): Result {
    const log = this.#parts.log();
    if (log === null) return without;
    try {
      return read(log);
    } finally {
      log.release();
    }
  }

  /** Runs work on the ledger; after a failure the rows wait in the log for the next attempt. */
  #attempt(work: (writer: LedgerWriter) => void): boolean {
    const { ledger, report, damaged } = this.#parts;
    const { writer } = ledger;
    if (writer === null) return this.#wait();
    try {
      work(writer);
      this.#failures = 0;
      return true;
    } catch (error) {
      if (error instanceof DamagedLog) damaged(error.file, error.message);
      else if (this.#failures === 0)
        report(`The ledger waits (${errorText(error)}): its rows are kept in the log and booked later.`);
      return this.#wait();
    }
  }

  #wait(): false {
    this.#retryAt = performance.now() + Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.#failures);
    this.#failures = Math.min(10, this.#failures + 1);
    return false;
  }
}
