import type { TradeMode } from '../../../contract/bot.ts';
import { Statements } from '../../../node/statements.ts';
import { type BookingPlace, bookedRow, type EntryRow, entriesAfter, lastCheckpoint } from './checkpoints.ts';
import type { HoldingBook } from './holding-book.ts';
import type { LedgerDatabase } from './ledger-database.ts';
import type { LotMethod } from './lots.ts';
import type { LedgerType } from './vocabulary.ts';

/** Entries that are read at once. */
const ENTRIES_AT_ONCE = 500;

export interface StoredBook {
  readonly id: number;
  readonly mode: TradeMode;
  readonly method: LotMethod;
}

/** A sum of a UTC day (days since 1970); a currency, venue or account that no row names is the empty text. */
export interface StoredTotal {
  readonly day: number;
  readonly venue: string;
  readonly account: string;
  readonly symbol: string;
  readonly kind: string;
  readonly currency: string;
  readonly amount: string;
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

  constructor(db: LedgerDatabase) {
    this.#db = db;
    this.#statements = new Statements(db);
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
    return this.#statements.all<StoredBook>('select id, mode, method from book where bot = ? order by mode', bot);
  }

  /** Returns the sums of days from one to another, both counted. */
  totals(book: number, from: number, to: number): StoredTotal[] {
    return this.#statements.all<StoredTotal>(
      'select day, venue, account, symbol, kind, currency, amount from total where book = ? and day between ? and ?',
      ...[book, from, to],
    );
  }

  /** Returns what is held after all entries. */
  holdings({ id, method }: StoredBook): HoldingBook {
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
}
