import { TradeMode } from '../../../contract/bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import { isDiskFull } from '../../../node/storage-error.ts';
import { errorText, systemErrorCode } from '../../../node/system-error.ts';
import type { LedgerSourceRow } from '../ledger/book-writer.ts';
import { BOOKED_TYPES, type DuplicateOrder, type LedgerWriter, type Rebuilt } from '../ledger/ledger-writer.ts';
import type { LotMethod } from '../ledger/lots.ts';
import { bookedAt } from '../ledger/read-row.ts';
import { isKeptType, type KeptType } from '../ledger/vocabulary.ts';
import type { BotLog } from './bot-log.ts';
import type { LedgerFeed } from './ledger-feed.ts';
import { DamagedLog } from './segment-set.ts';
import type { StoredMetric } from './stored-row-types.ts';

/** Metrics that one step of a catch-up reads: a few milliseconds, so that no other bot waits. */
const STEP_ROWS = 500;
/** Damaged files that are set aside while a log is removed; more is no accident of one disk. */
const MOST_HARMED = 64;
/** Orders that one message about duplicates names, and the time until the next message about the same bot. */
const MOST_DUPLICATES = 20;
const NEXT_DUPLICATES_MS = 10_000;
/** Types whose rows count anew when they are taken twice, or say what was true only then. */
const ONCE: ReadonlySet<KeptType> = new Set(['signal', 'price', 'position']);
/** Rows of a bot that wait for those of others, at most. */
const MOST_WAITING = 1000;
/** Types that come with every tick and book nothing. */
const MARKS: ReadonlySet<KeptType> = new Set(['price', 'equity', 'portfolio_value', 'rate', 'signal']);
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
  /** The bot has placed orders that repeat earlier ones. They come again until LedgerWriter.toldDuplicates. */
  readonly duplicates: (orders: readonly DuplicateOrder[]) => void;
}

/** A stored metric as a row of the ledger; null for one that means nothing to it. */
function sourceRow({ type, seq, ts, time, mode, data }: StoredMetric): LedgerSourceRow | null {
  if (!isKeptType(type)) return null;
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
  /** Seq up to which rows wait that book nothing; null: none do. */
  #waitsUpTo: number | null = null;
  /** Seq of the last commit. */
  #end = 0;
  #failures = 0;
  #retryAt = 0;
  /** False once the log has no row that an earlier release left there. */
  #mayHaveLeft = true;
  /** False once the host has told of every duplicate of an order. */
  #mayHaveDuplicates = true;
  #duplicatesAt = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /**
   * The log was opened, and has rows up to a seq. Returns the seq above which new rows must be numbered: one beyond the log
   * if that has lost rows which the ledger has. While the ledger does not answer, that could be any; the clock (`now`, ms) is
   * above all: no bot writes a million lines a second for ever.
   */
  open(end: number, now: number): number {
    this.#stopWaiting();
    this.#isOpen = true;
    this.#end = Math.max(this.#end, end);
    this.#attempt((writer) => this.#begin(writer));
    this.#end = Math.max(this.#end, this.#taken ?? now * 1000);
    return this.#end;
  }

  /** True while the ledger lacks rows of a log that was opened. */
  get isBehind(): boolean {
    const known = this.#known;
    return this.#isOpen && (known === null || known < this.#end);
  }

  /** True if the ledger has every row of a log that was opened. */
  get isSettled(): boolean {
    return this.#isOpen && this.#waitsUpTo === null && !this.isBehind;
  }

  /**
   * Takes what a commit has stored: all rows above the commit before, up to a seq. Prices and the like, which come with every
   * tick and book nothing, wait for those of other bots (LedgerFeed.tick), and are in the log all the while.
   */
  committed(seq: number, rows: readonly LedgerSourceRow[]): void {
    const { botId, ledger } = this.#parts;
    const wasBehind = this.isBehind;
    this.#end = seq;
    if (wasBehind || this.#known === seq) return;
    const waiting = ledger.waiting.take(botId);
    this.#waitsUpTo = null;
    const all = [...(waiting?.rows ?? []), ...rows];
    if (all.length === 0) {
      this.#taken = seq;
      ledger.moved(botId, seq);
    } else if (all.length <= MOST_WAITING && all.every(({ type }) => MARKS.has(type))) {
      this.#waitsUpTo = seq;
      const since = waiting?.since ?? performance.now();
      ledger.waiting.put({ botId, rows: all, upTo: seq, since, done: (isTaken) => this.#waited(seq, all, isTaken) });
    } else this.#attempt((writer) => this.#apply(writer, all, seq));
  }

  /** Seq up to which the ledger has every row, or will have those that wait. */
  get #known(): number | null {
    return this.#waitsUpTo ?? this.#taken;
  }

  /** Rows that waited were taken, or could not be: they are then read from the log. */
  #waited(seq: number, rows: readonly LedgerSourceRow[], isTaken: boolean): void {
    this.#waitsUpTo = null;
    if (!isTaken) return;
    this.#taken = seq;
    this.#changed(rows);
  }

  /** Leaves rows that wait to the log, from which they are read again. */
  #stopWaiting(): void {
    this.#parts.ledger.waiting.take(this.#parts.botId);
    this.#waitsUpTo = null;
  }

  /** True while the ledger has something to do with the log. */
  get hasWork(): boolean {
    return this.isBehind || (this.#isOpen && this.#mayHaveLeft);
  }

  /** True if the ledger has nothing to do with the log, and the host has told of every duplicate. */
  get isAtRest(): boolean {
    return !this.hasWork && !(this.#isOpen && this.#mayHaveDuplicates);
  }

  /** Does one step of a catch-up, or with rows that an earlier release left; true when there is more to do at once. */
  step(): boolean {
    if (!this.hasWork || performance.now() < this.#retryAt) return false;
    return this.#attempt((writer) => (this.isBehind ? this.#catchUp(writer) : this.#takeLeft(writer))) && this.hasWork;
  }

  /** Tells of duplicates of orders that nobody was told of, at most every few seconds. */
  tellDuplicates(now: number): void {
    const { botId, duplicates } = this.#parts;
    if (!this.#isOpen || !this.#mayHaveDuplicates || now < this.#duplicatesAt || this.#failures > 0) return;
    this.#attempt((writer) => {
      const found = writer.duplicates(botId, MOST_DUPLICATES);
      this.#mayHaveDuplicates = found.length > 0;
      if (found.length === 0) return;
      this.#duplicatesAt = now + NEXT_DUPLICATES_MS;
      duplicates(found);
    });
  }

  /**
   * Takes everything that is left, because the log will be removed. A log without a row for the ledger needs none.
   * @throws Error if the ledger cannot be written
   */
  drain(): void {
    const { botId, damaged, ledger, report } = this.#parts;
    this.#stopWaiting();
    for (let harmed = 0; !this.isSettled; harmed++) {
      let isRead = false;
      try {
        if (this.#lacksNothing(this.#newestRow())) break;
        isRead = true;
        this.#takeRest();
      } catch (error) {
        if (error instanceof DamagedLog && harmed < MOST_HARMED) damaged(error.file, error.message);
        // The bot has made its folder unreadable; its removal opens the folder.
        else if (!isRead && systemErrorCode(error) === 'EACCES') return;
        else if (!isRead && isDiskFull(error)) {
          report(
            'The disk is full, so that its log could not be read: if the ledger lacked rows of it, they are lost.',
          );
          return;
        } else throw error;
      }
    }
    ledger.removed(botId);
  }

  #takeRest(): void {
    const { writer } = this.#parts.ledger;
    if (writer === null) throw new Error('The ledger cannot be opened, and the log has rows that it may lack');
    this.#isOpen = true;
    this.#end = Math.max(
      this.#end,
      this.#reading((log) => log.lastSeq(), 0),
    );
    while (this.isBehind) this.#catchUp(writer);
  }

  /** True if the ledger has every row up to a seq, which may be beyond the end; also of a log that was not opened. */
  hasTaken(seq: number): boolean {
    if (this.#taken !== null && this.#taken >= Math.min(seq, this.#end)) return true;
    try {
      return this.#lacksNothing(Math.min(seq, this.#newestRow()));
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      this.#parts.damaged(error.file, error.message);
      return false;
    }
  }

  /** Seq of the newest row of the log that the ledger takes; 0 if there never was one. */
  #newestRow(): number {
    return this.#reading((log) => log.lastLedgerSeq(), 0);
  }

  /** True if the ledger has every row up to a seq, which is that of a row, or 0 for none. */
  #lacksNothing(seq: number): boolean {
    if (seq === 0) return true;
    const { ledger, botId } = this.#parts;
    const taken = this.#taken ?? ledger.writer?.stored(botId)?.seq;
    // Rows of segments of earlier releases are left alone.
    return taken !== undefined && taken >= seq ? true : seq <= this.#reading((log) => log.ledgerStart(), 0);
  }

  /**
   * Makes the books again, with rows of the log from a time on (ms since the epoch) that the ledger lacks; null: without any.
   * @throws PlatformError if the ledger cannot be opened, or the log cannot be read
   */
  rebuild(from: number | null): Rebuilt {
    const writer = this.#writer();
    return this.#remade(writer.rebuild(this.#parts.botId, from === null ? [] : this.#olderRows(writer, from)));
  }

  /** Counts by another method from now on, and makes the books again. @throws PlatformError as `rebuild` */
  setMethod(method: LotMethod): Rebuilt {
    return this.#remade(this.#writer().setMethod(this.#parts.botId, method));
  }

  /** Erases the books, with what the log has for them. Returns the number of rows. @throws PlatformError as `rebuild` */
  erase(by: { readonly at: number; readonly user: string }): number {
    const writer = this.#writer();
    const end = Math.max(
      this.#end,
      this.#reading((log) => log.lastSeq(), 0),
    );
    const rows = writer.erase(this.#parts.botId, by, end);
    faultPoint('ledger:gone');
    this.#taken = writer.cursor(this.#parts.botId);
    return this.#remade(rows);
  }

  #remade<Result>(result: Result): Result {
    const { botId, ledger } = this.#parts;
    ledger.changes.add({ botId, booked: true });
    return result;
  }

  #writer(): LedgerWriter {
    const { writer } = this.#parts.ledger;
    this.#stopWaiting();
    if (writer !== null) return writer;
    throw new PlatformError('INTERNAL', 'The ledger cannot be opened', {
      hint: '`platform doctor` says how to mend it. Rows that come meanwhile wait in the logs of bots.',
    });
  }

  /**
   * Rows that are booked, of the log up to the cursor, written at or after a time; those above it come by themselves. What is not
   * booked may be millions of rows: the ledger takes them as they are read.
   */
  #olderRows(writer: LedgerWriter, from: number): LedgerSourceRow[] {
    const { botId, damaged } = this.#parts;
    const rows: LedgerSourceRow[] = [];
    try {
      this.#begin(writer);
      const end = writer.cursor(botId) + 1;
      for (let after = 0; ; ) {
        const metrics = this.#reading((log) => log.metrics(null, after, end, 'asc', STEP_ROWS), []);
        const found = metrics
          .flatMap((metric) => sourceRow(metric) ?? [])
          .filter(({ at, type }) => at >= from && !ONCE.has(type));
        rows.push(...found.filter(({ type }) => BOOKED_TYPES.has(type)));
        writer.observe(botId, found);
        const last = metrics.at(-1);
        if (last === undefined || metrics.length < STEP_ROWS) return rows;
        after = last.seq;
      }
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      damaged(error.file, error.message);
      throw new PlatformError('INTERNAL', `The log is damaged (${error.message}), so that no row was booked`, {
        hint: 'The damaged part is set aside now. Try again for the rest.',
        cause: error,
      });
    }
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

  #takeLeft(writer: LedgerWriter): void {
    const { botId } = this.#parts;
    const left = writer.left(botId);
    this.#mayHaveLeft = left !== null;
    if (left === null) return;
    const from = Math.max(
      left.from,
      this.#reading((log) => log.ledgerStart(), 0),
    );
    const metrics = this.#reading((log) => log.metrics(null, from, left.to + 1, 'asc', STEP_ROWS), []);
    const to = metrics.length < STEP_ROWS ? left.to : (metrics.at(-1)?.seq ?? left.to);
    const rows = metrics.flatMap((metric) => sourceRow(metric) ?? []);
    writer.applyLeft(botId, rows, to);
    this.#changed(rows);
  }

  #apply(writer: LedgerWriter, rows: readonly LedgerSourceRow[], upTo: number): void {
    writer.apply(this.#parts.botId, rows, upTo);
    this.#taken = upTo;
    this.#changed(rows);
    if (rows.some(({ type }) => type === 'order')) this.#mayHaveDuplicates = true;
  }

  #changed(rows: readonly LedgerSourceRow[]): void {
    const { botId, ledger } = this.#parts;
    if (rows.length > 0) ledger.changes.add({ botId, booked: rows.some(({ type }) => !MARKS.has(type)) });
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
