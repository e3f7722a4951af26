import type { TradeMode } from '../../../contract/bot.ts';
import { Statements } from '../../../node/statements.ts';
import {
  type BookingPlace,
  bookedRow,
  type EntryRow,
  entriesAfter,
  lastCheckpoint,
} from './checkpoints-and-entries.ts';
import type { HoldingBook } from './holding-book.ts';
import type { LedgerDatabase } from './ledger-database.ts';
import type { LotMethod } from './lots.ts';
import type { StoredTotal } from './totals.ts';
import type { LedgerType, PositionSide, Side } from './vocabulary.ts';
import { ZonedTotals } from './zoned-totals.ts';

/** Entries that are read at once. */
const ENTRIES_AT_ONCE = 500;

export interface StoredBook {
  /** Another book may have had it before: the database gives the id of an erased book again. */
  readonly id: number;
  readonly bot: string;
  readonly mode: TradeMode;
  readonly method: LotMethod;
  /** Grows whenever the book is made again. */
  readonly revision: number;
}

/** An entry with its row. Amounts are digits. */
export interface StoredEntry extends EntryRow {
  readonly mode: TradeMode;
  readonly type: 'fill' | 'cash_flow' | 'adjustment';
  readonly venue: string;
  readonly account: string;
  readonly symbol: string;
  readonly realised: string | null;
  readonly realised_currency: string | null;
  readonly charge: string | null;
  readonly charge_currency: string | null;
  readonly unknown: string | null;
  readonly difference: string | null;
  readonly problem: string | null;
}

/** A row that is in no sum. */
export interface StoredProblem {
  readonly mode: TradeMode;
  readonly seq: number;
  readonly at: number;
  readonly type: LedgerType;
  readonly reason: 'refused' | 'conflict' | 'not_booked' | 'waiting';
  readonly problem: string;
  readonly text: string;
}

/** A row with the id of another one, and that other, which counts. */
export interface StoredConflict {
  readonly mode: TradeMode;
  readonly type: LedgerType;
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  readonly first: number;
  readonly first_at: number;
  readonly first_text: string;
}

/** An order with its newest row. `first` is the client id of an earlier order for the same decision. */
export interface StoredOrder extends BookingPlace {
  readonly mode: TradeMode;
  readonly book: number;
  readonly newest: number;
  readonly first: string | null;
  readonly text: string;
}

/** A row of an order. */
export interface StoredStatus extends BookingPlace {
  readonly text: string;
}

export interface StoredPrice extends BookingPlace {
  readonly symbol: string;
  readonly value: string;
  readonly currency: string;
}

/** A position as the bot wrote it, and what its fills said then. Amounts are digits. */
export interface StoredReport extends BookingPlace {
  readonly account: string;
  readonly symbol: string;
  readonly side: PositionSide;
  readonly quantity: string;
  readonly held: string;
}

/** Of what equity is: of an account, in a currency. Both are the empty text where no row names them. */
export interface EquityPlace {
  readonly venue: string;
  readonly account: string;
  readonly currency: string;
}

/** Equity over a stretch of time. Amounts are digits. */
export interface StoredEquity extends EquityPlace {
  readonly at: number;
  readonly value: string;
  readonly low: string;
  readonly high: string;
  /** When an account said what it was worth before a range. */
  readonly since?: number;
}

/** A rate that a bot wrote: one unit of `base` is worth `value` of `quote`. */
export interface StoredRate {
  readonly mode: TradeMode;
  readonly bot: string;
  readonly base: string;
  readonly quote: string;
  readonly value: string;
  readonly at: number;
}

/** Signals of a UTC day, with the newest of them. */
export interface StoredSignals {
  readonly day: number;
  readonly count: number;
  readonly at: number;
  readonly symbol: string | null;
  readonly side: Side | null;
  readonly price: string | null;
}

/** Books whose holdings are kept in memory, so that a list of bots does not book them again. */
const MOST_KEPT = 500;
const MINUTE_MS = 60_000;
/** Statuses of an order that is over. */
const OVER = "('filled', 'cancelled', 'rejected', 'expired')";

const ORDERS = `select o.book, o.seq, o.at, o.newest, f.client as first, s.text from bot_order o
  join order_status s on s.book = o.book and s.first = o.seq and s.seq = o.newest
  left join bot_order f on f.book = o.book and f.seq = o.duplicate_of
  where o.book = ? and (o.at, o.seq) < (?, ?)`;

/**
 * Equity by stretches of so many minutes. The lowest and highest are chosen by their floats: amounts that a float cannot tell
 * apart differ by less than a chart shows.
 */
const EQUITY = `select l.venue, l.account, l.currency, l.at, l.value, lo.low, hi.high from
  (select venue, account, currency, (minute - cast(@first as integer)) / cast(@width as integer) as stretch, max(minute), at, value from equity
    where book = @book and minute between @first and @last group by venue, account, currency, stretch) l join
  (select venue, account, currency, (minute - cast(@first as integer)) / cast(@width as integer) as stretch, min(cast(low as real)), low from equity
    where book = @book and minute between @first and @last group by venue, account, currency, stretch) lo
    using(venue, account, currency, stretch) join
  (select venue, account, currency, (minute - cast(@first as integer)) / cast(@width as integer) as stretch, max(cast(high as real)), high from equity
    where book = @book and minute between @first and @last group by venue, account, currency, stretch) hi
    using(venue, account, currency, stretch)
  order by venue, account, currency, stretch`;

/** The newest equity before a minute, of those that have none in it. */
const EQUITY_BEFORE = `select venue, account, currency, value, since from
  (select venue, account, currency, max(minute), value, at as since from equity where book = @book and minute < @begin
    group by venue, account, currency) b
  where not exists (select 1 from equity e where e.book = @book and e.minute = @begin and e.venue = b.venue
    and e.account = b.account and e.currency = b.currency) order by venue, account, currency`;

/** What each table of such rows says of them, the newest first. */
const PROBLEMS = [
  `select seq, at, type, 'refused' as reason, problem, text from refused_row where book = ? order by seq desc limit ?`,
  `select seq, at, type, 'conflict' as reason,
    'the row with seq ' || first || ' has the same id, and says something else' as problem, text
    from conflict where book = ? order by seq desc limit ?`,
  `select e.seq, e.at, r.type, 'not_booked' as reason, e.problem, r.text from entry e
    join row r on r.book = e.book and r.seq = e.row where e.book = ? and e.problem is not null
    order by e.seq desc limit ?`,
  `select seq, at, type, 'waiting' as reason, 'it corrects a row that has not come' as problem, text from row
    where book = ? and target is not null and root is null order by seq desc limit ?`,
] as const;

const ENTRIES = `select e.*, r.type as row_type, r.text as text from entry e
  join row r on r.book = e.book and r.seq = e.row
  where e.book = ? and (e.at, e.seq) < (?, ?) order by e.at desc, e.seq desc limit ?`;

/** Reads the books of bots from a ledger that another connection may be writing. */
export class LedgerReader {
  readonly #db: LedgerDatabase;
  readonly #statements: Statements;
  /** What books hold, by their id, and of which state of the book that is. */
  readonly #kept = new Map<number, { readonly state: string; readonly holdings: HoldingBook }>();
  readonly #zoned: ZonedTotals;

  constructor(db: LedgerDatabase) {
    this.#db = db;
    this.#statements = new Statements(db);
    this.#zoned = new ZonedTotals(this.#statements);
  }

  close(): void {
    this.#db.close();
  }

  /** Runs reads on what the ledger holds at one moment. */
  atOnce<Result>(read: () => Result): Result {
    this.#statements.run('begin');
    try {
      return read();
    } finally {
      this.#statements.run('rollback');
    }
  }

  books(bot: string): StoredBook[] {
    return this.#statements.all<StoredBook>(
      'select id, bot, mode, method, revision from book where bot = ? order by mode',
      bot,
    );
  }

  /** Returns the sums of the days of a zone from one to another, both counted. */
  totals(book: StoredBook, zone: string, from: number, to: number): StoredTotal[] {
    if (zone !== 'UTC') return this.#zoned.totals(book, zone, from, to);
    return this.#statements.all<StoredTotal>(
      'select day, venue, account, symbol, kind, currency, amount from total where book = ? and day between ? and ?',
      ...[book.id, from, to],
    );
  }

  /** Returns what is held after all entries; not to be changed. */
  holdings(book: StoredBook): HoldingBook {
    const newest = this.#statements.get<{ seq: number | null }>(
      'select max(seq) as seq from row where book = ?',
      book.id,
    );
    // A change of a book comes with a new row, or makes the book again.
    const state = JSON.stringify([book.bot, book.mode, newest?.seq, book.revision]);
    const kept = this.#kept.get(book.id);
    this.#kept.delete(book.id);
    const holdings = kept?.state === state ? kept.holdings : this.#holdings(book);
    if (newest?.seq != null) this.#kept.set(book.id, { state, holdings });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return holdings;
  }

  #holdings({ id, method }: StoredBook): HoldingBook {
    const { holdings, last } = lastCheckpoint(this.#statements, id, method, null);
    for (let from = last; ; ) {
      const entries = entriesAfter<object>(this.#statements, id, from, ENTRIES_AT_ONCE);
      for (const entry of entries) {
        holdings.book({ row: bookedRow(entry), at: entry.at, seq: entry.seq });
        from = entry;
      }
      if (entries.length < ENTRIES_AT_ONCE) return holdings;
    }
  }

  counts(book: number): { readonly notBooked: number; readonly conflicts: number } {
    const count = (sql: string): number => this.#statements.get<{ n: number }>(sql, book)?.n ?? 0;
    const unbooked = count('select count(*) as n from entry where book = ? and problem is not null');
    const waiting = count('select count(*) as n from row where book = ? and target is not null and root is null');
    return {
      notBooked: unbooked + waiting + count('select count(*) as n from refused_row where book = ?'),
      conflicts: count('select count(*) as n from conflict where book = ?'),
    };
  }

  /** Returns entries of a book, the last in the order of booking first, before a place; null: from the end. */
  entries(book: StoredBook, before: BookingPlace | null, limit: number): StoredEntry[] {
    const { at, seq } = before ?? { at: Number.POSITIVE_INFINITY, seq: 0 };
    const found = this.#statements.all<Omit<StoredEntry, 'mode'>>(ENTRIES, book.id, at, seq, limit);
    return found.map((entry) => ({ ...entry, mode: book.mode }));
  }

  /** Returns rows of a book that are in no sum, the newest first. */
  problems(book: StoredBook, limit: number): StoredProblem[] {
    const found = PROBLEMS.flatMap((sql) => this.#statements.all<Omit<StoredProblem, 'mode'>>(sql, book.id, limit));
    const newest = found.sort((a, b) => b.seq - a.seq).slice(0, limit);
    return newest.map((problem) => ({ ...problem, mode: book.mode }));
  }

  /** Returns conflicts of a book below a seq (null: from the newest), the newest first. */
  conflicts(book: StoredBook, before: number | null, limit: number): StoredConflict[] {
    const found = this.#statements.all<Omit<StoredConflict, 'mode'>>(
      `select c.type, c.seq, c.at, c.text, c.first, r.at as first_at, r.text as first_text from conflict c
        join row r on r.book = c.book and r.seq = c.first
        where c.book = ? and c.seq < ? order by c.seq desc limit ?`,
      ...[book.id, before ?? Number.MAX_SAFE_INTEGER, limit],
    );
    return found.map((conflict) => ({ ...conflict, mode: book.mode }));
  }

  /** Returns the newest erasure of a bot's books; null for none. */
  erased(bot: string): { readonly at: number; readonly rows: number } | null {
    return (
      this.#statements.get<{ at: number; rows: number }>(
        'select at, rows from erasure where bot = ? order by id desc limit 1',
        bot,
      ) ?? null
    );
  }

  /** Returns orders of a book, the last first, before a place; null: from the end. */
  orders(book: StoredBook, before: BookingPlace | null, limit: number, isOpen: boolean): StoredOrder[] {
    const { at, seq } = before ?? { at: Number.POSITIVE_INFINITY, seq: 0 };
    const found = this.#statements.all<Omit<StoredOrder, 'mode'>>(
      `${ORDERS}${isOpen ? ` and o.status not in ${OVER}` : ''} order by o.at desc, o.seq desc limit ?`,
      ...[book.id, at, seq, limit],
    );
    return found.map((order) => ({ ...order, mode: book.mode }));
  }

  /** Returns the newest rows of an order, oldest first. */
  statuses({ book, seq }: StoredOrder, limit: number): StoredStatus[] {
    return this.#statements
      .all<StoredStatus>(
        'select seq, at, text from order_status where book = ? and first = ? order by at desc, seq desc limit ?',
        ...[book, seq, limit],
      )
      .reverse();
  }

  /** Returns the newest price of each symbol. */
  prices(book: number): StoredPrice[] {
    return this.#statements.all<StoredPrice>('select symbol, at, seq, value, currency from price where book = ?', book);
  }

  reports(book: number): StoredReport[] {
    return this.#statements.all<StoredReport>(
      'select account, symbol, side, at, seq, quantity, held from report where book = ? order by symbol, account, side',
      book,
    );
  }

  /** Returns the newest equity of each account and currency. */
  equityNow(book: number): StoredEquity[] {
    return this.#statements.all<StoredEquity>(
      `select venue, account, currency, max(minute), at, value, low, high from equity where book = ?
        group by venue, account, currency order by venue, account, currency`,
      book,
    );
  }

  /**
   * Returns equity between two times, of each account and currency at most `points` stretches, oldest first. What an account was worth
   * before comes first, at the minute of `from`: it is worth that until it says otherwise.
   */
  equity(book: number, from: number | null, to: number | null, points: number): StoredEquity[] {
    const begin = Math.floor((from ?? 0) / MINUTE_MS);
    const before = this.#statements
      .all<Omit<StoredEquity, 'low' | 'high'>>(EQUITY_BEFORE, { book, begin })
      .map((one) => ({ ...one, at: begin * MINUTE_MS, low: one.value, high: one.value }));
    const range = this.#statements.get<{ first: number | null; last: number | null }>(
      'select min(minute) as first, max(minute) as last from equity where book = ? and minute between ? and ?',
      ...[book, begin, Math.floor((to ?? Number.MAX_SAFE_INTEGER) / MINUTE_MS)],
    );
    if (range?.first == null || range.last == null) return before;
    const { first, last } = range;
    const width = Math.ceil((last - first + 1) / (before.length === 0 ? points : points - 1));
    return [...before, ...this.#statements.all<StoredEquity>(EQUITY, { book, first, last, width })];
  }

  /** Returns the newest rate of each pair and mode among these bots that was written up to a time (ms since the epoch). */
  rates(bots: readonly string[], until: number): StoredRate[] {
    return this.#statements.all<StoredRate>(
      `select b.mode, b.bot, r.base, r.quote, r.value, max(r.at) as at from rate r join book b on b.id = r.book
        where b.bot in (select value from json_each(?)) and r.at <= ?
        group by b.mode, r.base, r.quote order by b.mode, r.base, r.quote`,
      ...[JSON.stringify(bots), until],
    );
  }

  /** Returns the signals of the newest day that had one. */
  signals(book: number): StoredSignals | null {
    return (
      this.#statements.get<StoredSignals>('select * from signals where book = ? order by day desc limit 1', book) ??
      null
    );
  }

  /** Returns the newest fill by its place in the order of booking. */
  lastFill(book: StoredBook): StoredEntry | null {
    const found = this.#statements.get<Omit<StoredEntry, 'mode'>>(
      `select e.*, r.type as row_type, r.text as text from entry e join row r on r.book = e.book and r.seq = e.row
        where e.book = ? and e.type = 'fill' and e.problem is null order by e.at desc, e.seq desc limit 1`,
      book.id,
    );
    return found === undefined ? null : { ...found, mode: book.mode };
  }
}
