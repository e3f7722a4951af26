import type { TradeMode } from '../../../contract/bot.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import { Statements } from '../../../node/statements.ts';
import { BookWriter, type LedgerSourceRow } from './book-writer.ts';
import type { HoldingBook } from './holding-book.ts';
import type { LedgerDatabase } from './ledger-database.ts';
import type { LotMethod } from './lots.ts';
import { readRow } from './read-row.ts';
import {
  countTaken,
  dailySums,
  differentDays,
  emptyBooks,
  eraseBooks,
  erasedUpTo,
  takenRows,
  withSecureDelete,
} from './rebuild-and-erase.ts';
import type { KeptType, Side } from './vocabulary.ts';

/** An order for a decision that another order was placed for before; `first` is the client id of that one. */
export interface DuplicateOrder {
  readonly mode: TradeMode;
  readonly seq: number;
  readonly at: number;
  readonly client: string;
  readonly first: string;
  readonly symbol: string;
  readonly side: Side;
  readonly decision: string;
  readonly leg: string | null;
}

/** Types whose rows are booked; the first release with a ledger took no others. */
export const BOOKED_TYPES: ReadonlySet<KeptType> = new Set(['fill', 'trade', 'cash_flow', 'adjustment']);

/** What came of making books again: the rows that they are made of, those among them that are new, and days with other sums. */
export interface Rebuilt {
  readonly method: LotMethod;
  readonly rows: number;
  readonly added: number;
  readonly changedDays: number;
}

/** Days, since 1970, whose sums in a mode are others than before. */
export type ChangedDays = ReadonlyMap<TradeMode, ReadonlySet<number>>;

/**
 * Version of the rules by which rows are read and booked. Books that were made by others are made again, so that they are what
 * their rows come to.
 */
const RULES = 1;

interface Book {
  readonly id: number;
  readonly mode: TradeMode;
  readonly writer: BookWriter;
}

/**
 * Writes the ledger of a host: rows of the logs of bots, each once, in the order of their seqs. Rows and the cursor of their
 * bot are stored in one transaction, so that a host that was killed goes on where the cursor stands.
 */
export class LedgerWriter {
  readonly #db: LedgerDatabase;
  readonly #statements: Statements;
  readonly #method: LotMethod;
  /** Open books by bot, then by mode. */
  readonly #books = new Map<string, Map<TradeMode, Book>>();

  /** Books that are begun from now on count by `method`. */
  constructor(db: LedgerDatabase, method: LotMethod) {
    this.#db = db;
    this.#statements = new Statements(db);
    this.#method = method;
  }

  /** Seq of the last row of a bot's log that the ledger has looked at; 0 before the first. */
  cursor(bot: string): number {
    return this.stored(bot)?.seq ?? 0;
  }

  /** The stored cursor of a bot, and whether its log had no later row when it was closed; undefined for an unknown bot. */
  stored(bot: string): { readonly seq: number; readonly isSettled: boolean } | undefined {
    const row = this.#statements.get<{ seq: number; settled: number }>(
      'select seq, settled from cursor where bot = ?',
      bot,
    );
    return row === undefined ? undefined : { seq: row.seq, isSettled: row.settled === 1 };
  }

  /**
   * A bot's log is open for writing, and not settled before it is closed. Returns the bot's cursor; of an unknown bot it is
   * where `start` says.
   */
  begin(bot: string, start: () => number): number {
    const seq = this.stored(bot)?.seq ?? start();
    this.#statements.run(
      'insert into cursor(bot, seq, settled) values(?, ?, 0) on conflict do update set settled = 0',
      bot,
      seq,
    );
    return seq;
  }

  /** Bots whose logs may have rows that the ledger lacks: a host that was killed did not close them, or an earlier release left them. */
  unsettled(): string[] {
    return this.#statements
      .all<{ bot: string }>('select bot from cursor where settled = 0 or again is not null')
      .map(({ bot }) => bot);
  }

  /** The part of a bot's log that has rows which an earlier release left there: seqs above `from`, up to `to`. Null for none. */
  left(bot: string): { readonly from: number; readonly to: number } | null {
    return (
      this.#statements.get<{ from: number; to: number }>(
        'select again as "from", again_to as "to" from cursor where bot = ? and again is not null',
        bot,
      ) ?? null
    );
  }

  /** Takes those of a part of the log that an earlier release left there, up to a seq. When it throws, nothing is stored. */
  applyLeft(bot: string, rows: readonly LedgerSourceRow[], upTo: number): ChangedDays {
    return this.#transaction(bot, () => {
      this.#observe(bot, rows);
      this.#statements.run(
        'update cursor set again = iif(? >= again_to, null, ?) where bot = ? and again is not null',
        ...[upTo, upTo, bot],
      );
      return this.#settle(bot);
    });
  }

  /** Takes older rows of a bot's log that book nothing, of those that were not erased. Orders, equity and rates may come again. */
  observe(bot: string, rows: readonly LedgerSourceRow[]): void {
    this.#transaction(bot, () => {
      const erased = erasedUpTo(this.#statements, bot);
      this.#observe(
        bot,
        rows.filter(({ seq }) => seq > erased),
      );
      this.#settle(bot);
    });
  }

  #observe(bot: string, rows: readonly LedgerSourceRow[]): void {
    for (const row of rows) if (!BOOKED_TYPES.has(row.type)) this.#book(bot, row.mode).writer.take(row, true);
  }

  /** Orders of a bot that repeat an earlier one, and of which the host has not told yet; the oldest first. */
  duplicates(bot: string, limit: number): DuplicateOrder[] {
    const found = this.#statements.all<{ mode: TradeMode; seq: number; at: number; text: string; first: string }>(
      `select b.mode, o.seq, o.newest_at as at, s.text, f.client as first from book b
        join bot_order o on o.book = b.id and o.told = 0
        join order_status s on s.book = o.book and s.first = o.seq and s.seq = o.newest
        join bot_order f on f.book = o.book and f.seq = o.duplicate_of
        where b.bot = ? order by o.seq limit ?`,
      bot,
      limit,
    );
    return found.flatMap(({ text, first, ...rest }) => {
      const { row } = readRow('order', text, rest.seq);
      if (row?.type !== 'order') return [];
      const { id, symbol, side, decisionId, leg } = row;
      return [{ ...rest, client: id, first, symbol, side, decision: decisionId ?? '', leg }];
    });
  }

  /** The host has told of duplicates of a bot up to a seq. */
  toldDuplicates(bot: string, upTo: number): void {
    this.#statements.run(
      'update bot_order set told = 1 where told = 0 and seq <= ? and book in (select id from book where bot = ?)',
      upTo,
      bot,
    );
  }

  /** The logs of these bots are closed, and the ledger has all their rows. */
  settled(bots: readonly string[]): void {
    this.#db.transaction(() => {
      for (const bot of bots) this.#statements.run('update cursor set settled = 1 where bot = ?', bot);
    })();
  }

  /** Moves the cursors of bots over rows that mean nothing to the ledger. */
  setCursors(seqs: ReadonlyMap<string, number>): void {
    this.#db.transaction(() => {
      for (const [bot, seq] of seqs) if (seq > this.cursor(bot)) this.#setCursor(bot, seq);
    })();
  }

  /**
   * Takes rows of a bot's log, which has been read up to a seq. Rows at or below the cursor were taken before. When it
   * throws, nothing is stored.
   */
  apply(bot: string, rows: readonly LedgerSourceRow[], upTo: number): ChangedDays {
    return this.#transaction(bot, () => this.#apply(bot, rows, upTo));
  }

  /** As `apply`, for rows of several bots in one transaction. When it throws, nothing is stored of any. */
  applyAll(
    parts: readonly { readonly botId: string; readonly rows: readonly LedgerSourceRow[]; readonly upTo: number }[],
  ): void {
    try {
      this.#db.transaction(() => {
        for (const { botId, rows, upTo } of parts) this.#apply(botId, rows, upTo);
      })();
    } catch (error) {
      for (const { botId } of parts) this.#books.delete(botId);
      throw error;
    }
  }

  #apply(bot: string, rows: readonly LedgerSourceRow[], upTo: number): ChangedDays {
    const cursor = this.cursor(bot);
    for (const row of rows) if (row.seq > cursor) this.#book(bot, row.mode).writer.take(row);
    if (upTo > cursor) this.#setCursor(bot, upTo);
    return this.#settle(bot);
  }

  /** By which units of a bot leave. */
  method(bot: string): LotMethod {
    const chosen = this.#statements.get<{ method: LotMethod }>('select method from method where bot = ?', bot);
    return chosen?.method ?? this.#method;
  }

  /** Counts a bot's units by this method from now on, and makes its books again. */
  setMethod(bot: string, method: LotMethod): Rebuilt {
    return this.#transaction(bot, () => {
      this.#statements.run('insert or replace into method(bot, method) values(?, ?)', bot, method);
      this.#statements.run('update book set method = ? where bot = ?', method, bot);
      return this.#rebuild(bot, []);
    });
  }

  /**
   * Makes the books of a bot again from the rows that they have taken, with older ones of its log of BOOKED_TYPES that they lack; the
   * cursor stays. What was erased does not come back.
   */
  rebuild(bot: string, older: readonly LedgerSourceRow[] = []): Rebuilt {
    return this.#transaction(bot, () => this.#rebuild(bot, older));
  }

  /** Erases the books of a bot, and what its log has up to a seq is never taken again. Returns the number of rows that went. */
  erase(bot: string, by: { readonly at: number; readonly user: string }, upTo: number): number {
    return withSecureDelete(this.#db, () =>
      this.#transaction(bot, () => {
        this.#books.delete(bot);
        const rows = eraseBooks(this.#statements, bot, by, Math.max(this.cursor(bot), upTo));
        faultPoint('ledger:erased');
        return rows;
      }),
    );
  }

  /** What a bot holds in a mode. */
  holdings(bot: string, mode: TradeMode): HoldingBook {
    return this.#transaction(bot, () => this.#book(bot, mode).writer.holdings);
  }

  #rebuild(bot: string, older: readonly LedgerSourceRow[]): Rebuilt {
    const taken = takenRows(this.#statements, bot);
    const known = new Set(taken.map(({ seq }) => seq));
    const erased = erasedUpTo(this.#statements, bot);
    const added = older.filter(({ seq }) => seq > erased && !known.has(seq));
    const sums = dailySums(this.#statements, bot);
    this.#books.delete(bot);
    emptyBooks(this.#statements, bot);
    faultPoint('ledger:emptied');
    for (const row of [...taken, ...added].sort((a, b) => a.seq - b.seq))
      this.#book(bot, row.mode).writer.take(row, !BOOKED_TYPES.has(row.type));
    this.#settle(bot);
    faultPoint('ledger:rebuilt');
    const rows = countTaken(this.#statements, bot);
    const changedDays = differentDays(sums, dailySums(this.#statements, bot));
    return { method: this.method(bot), rows, added: rows - taken.length, changedDays };
  }

  #settle(bot: string): ChangedDays {
    const changed = new Map<TradeMode, ReadonlySet<number>>();
    for (const { mode, writer } of this.#books.get(bot)?.values() ?? []) {
      const days = writer.settle();
      if (days.size > 0) changed.set(mode, days);
    }
    return changed;
  }

  #setCursor(bot: string, seq: number): void {
    this.#statements.run(
      'insert into cursor(bot, seq, settled) values(?, ?, 0) on conflict do update set seq = excluded.seq',
      bot,
      seq,
    );
  }

  #book(bot: string, mode: TradeMode): Book {
    let books = this.#books.get(bot);
    if (books === undefined) {
      books = new Map();
      this.#books.set(bot, books);
    }
    let book = books.get(mode);
    if (book === undefined) {
      this.#statements.run(
        'insert or ignore into book(bot, mode, method, rules) values(?, ?, ?, ?)',
        ...[bot, mode, this.method(bot), RULES],
      );
      const stored = this.#statements.get<{ id: number; method: LotMethod; rules: number }>(
        'select id, method, rules from book where bot = ? and mode = ?',
        bot,
        mode,
      );
      if (stored === undefined) throw new Error(`the book of ${bot} is gone`);
      if (stored.rules !== RULES) {
        this.#statements.run('update book set rules = ? where bot = ?', RULES, bot);
        this.#rebuild(bot, []);
        return this.#book(bot, mode);
      }
      book = { id: stored.id, mode, writer: new BookWriter(this.#statements, stored.id, stored.method) };
      books.set(mode, book);
    }
    return book;
  }

  #transaction<Result>(bot: string, work: () => Result): Result {
    try {
      return this.#db.transaction(work)();
    } catch (error) {
      // What the books have in memory is not what is stored any more.
      this.#books.delete(bot);
      throw error;
    }
  }
}
