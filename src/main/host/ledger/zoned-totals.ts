import type { Statements } from '../../../node/statements.ts';
import { zoneSpanAt } from '../../../shared/time-zone.ts';
import type { BookingPlace } from './checkpoints-and-entries.ts';
import { type Decimal, decimalText, storedDecimal, ZERO } from './decimal.ts';
import { REALISED, type StoredTotal } from './totals.ts';

const DAY_MS = 86_400_000;
/** No clock is further from UTC than this. */
const MOST_OFFSET_MS = 15 * 3_600_000;
/** Sums that are kept in memory, of all books and zones; what is kept of a book counts as some, however little it has. */
const MOST_SUMS = 200_000;
const LEAST_SUMS = 10;

/** A book as it is made now: another one may get its id once it is erased. */
interface Book {
  readonly id: number;
  readonly bot: string;
  readonly mode: string;
  readonly revision: number;
}

interface EntryAmounts extends BookingPlace {
  readonly venue: string;
  readonly account: string;
  readonly symbol: string;
  readonly realised: string | null;
  readonly realised_currency: string | null;
  readonly charge: string | null;
  readonly charge_kind: string | null;
  readonly charge_currency: string | null;
}

/** Entries that are read at once. */
const ENTRIES_AT_ONCE = 5000;

const AMOUNTS = `select at, seq, venue, account, symbol, realised, realised_currency, charge, charge_kind, charge_currency
  from entry where book = ? and (at, seq) > (?, ?) order by at, seq limit ?`;

/** What came to a book after a row: the newest row, the earliest place of one that was booked, whether one corrects another. */
const NEWER = `select max(seq) as newest, min(placed) as earliest, max(target is not null) as corrects
  from row where book = ? and seq > ?`;

const NEWEST = 'select max(seq) as newest from row where book = ? and seq > ?';

interface Newer {
  readonly newest: number | null;
  readonly earliest?: number | null;
  readonly corrects?: number | null;
}

/** Sums of a book by the days of a zone. */
interface Kept {
  /** Which book it is of, and which making of it. */
  readonly state: string;
  /** The newest row that they contain. */
  seq: number;
  /** The first day that they contain, and all later ones. */
  readonly first: number;
  readonly days: Map<number, readonly StoredTotal[]>;
  size: number;
}

/** Day of a time by the wall clock of a zone: days since 1970. */
export function dayInZone(zone: string, at: number): number {
  return Math.floor((at + zoneSpanAt(zone, at).offset) / DAY_MS);
}

/** The amounts of one day, added up as the stored sums of UTC days are. */
class DaySums {
  readonly #sums = new Map<string, { readonly of: Omit<StoredTotal, 'amount'>; amount: Decimal }>();
  readonly #day: number;

  constructor(day: number) {
    this.#day = day;
  }

  add({ venue, account, symbol, ...entry }: EntryAmounts): void {
    const place = { day: this.#day, venue, account, symbol };
    if (entry.realised !== null) this.#add({ ...place, kind: REALISED }, entry.realised_currency, entry.realised);
    if (entry.charge !== null)
      this.#add({ ...place, kind: entry.charge_kind ?? '' }, entry.charge_currency, entry.charge);
  }

  #add(place: Omit<StoredTotal, 'amount' | 'currency'>, currency: string | null, amount: string): void {
    const of = { ...place, currency: currency ?? '' };
    const key = JSON.stringify([of.venue, of.account, of.symbol, of.kind, of.currency]);
    const known = this.#sums.get(key);
    if (known === undefined) this.#sums.set(key, { of, amount: storedDecimal(amount) });
    else known.amount = known.amount.plus(storedDecimal(amount));
  }

  /** A sum of 0 is no sum, as in the stored ones. */
  totals(): StoredTotal[] {
    return [...this.#sums.values()]
      .filter(({ amount }) => !amount.eq(ZERO))
      .map(({ of, amount }) => ({ ...of, amount: decimalText(amount) }));
  }
}

/**
 * Sums of books by the days of any time zone. The ledger stores those of UTC days alone, so these are made of its entries, and
 * kept: a row that comes later changes the days from its place on, and only these are added up again.
 */
export class ZonedTotals {
  readonly #statements: Statements;
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Returns the sums of days of a zone from one to another, both counted. Days since 1970, as its wall clock counts them. */
  totals(book: Book, zone: string, from: number, to: number): StoredTotal[] {
    const kept = this.#upToDate(book, zone, from);
    return [...kept.days].flatMap(([day, sums]) => (day >= from && day <= to ? sums : []));
  }

  #upToDate(book: Book, zone: string, from: number): Kept {
    const name = JSON.stringify([book.id, zone]);
    // The database gives the id of an erased book again.
    const erased = this.#statements.get<{ id: number | null }>(
      'select max(id) as id from erasure where bot = ?',
      book.bot,
    );
    const state = JSON.stringify([book.bot, book.mode, book.revision, erased?.id ?? null]);
    const known = this.#kept.get(name);
    this.#forget(name);
    const isUsable = known !== undefined && known.state === state && known.first <= from;
    const kept = isUsable ? known : { state, seq: 0, first: from, days: new Map(), size: LEAST_SUMS };
    this.#extend(kept, book, zone, isUsable);
    this.#kept.set(name, kept);
    this.#size += kept.size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= MOST_SUMS || oldest === name) break;
      this.#forget(oldest);
    }
    return kept;
  }

  #extend(kept: Kept, book: Book, zone: string, isUsable: boolean): void {
    const newer = this.#statements.get<Newer>(isUsable ? NEWER : NEWEST, book.id, kept.seq);
    if (newer === undefined || newer.newest === null) return;
    kept.seq = newer.newest;
    // A correction takes its row from a place that is not stored any more: it may have been any.
    if (!isUsable || newer.corrects === 1) this.#addUp(kept, book, zone, kept.first);
    // A clock that is set back may show the day before once more.
    else if (newer.earliest != null)
      this.#addUp(kept, book, zone, Math.max(kept.first, dayInZone(zone, newer.earliest) - 1));
  }

  /** Adds up the days from one on anew. */
  #addUp(kept: Kept, { id }: Book, zone: string, from: number): void {
    for (const [day, sums] of kept.days) {
      if (day < from) continue;
      kept.days.delete(day);
      kept.size -= sums.length;
    }
    const days = new Map<number, DaySums>();
    let span = { start: 0, end: 0, offset: 0 };
    for (const entry of this.#entriesFrom(id, from * DAY_MS - MOST_OFFSET_MS)) {
      if (entry.at < span.start || entry.at >= span.end) span = zoneSpanAt(zone, entry.at);
      const day = Math.floor((entry.at + span.offset) / DAY_MS);
      if (day < from) continue;
      const sums = days.get(day) ?? new DaySums(day);
      days.set(day, sums);
      sums.add(entry);
    }
    for (const [day, sums] of days) {
      const totals = sums.totals();
      kept.days.set(day, totals);
      kept.size += totals.length;
    }
  }

  /** The entries of a book from a time on, in the order of booking. */
  *#entriesFrom(book: number, time: number): Generator<EntryAmounts> {
    let last: BookingPlace = { at: Math.max(time, Number.MIN_SAFE_INTEGER), seq: -1 };
    for (;;) {
      const { at, seq } = last;
      const entries = this.#statements.all<EntryAmounts>(AMOUNTS, book, at, seq, ENTRIES_AT_ONCE);
      yield* entries;
      last = entries.at(-1) ?? last;
      if (entries.length < ENTRIES_AT_ONCE) return;
    }
  }

  #forget(name: string): void {
    this.#size -= this.#kept.get(name)?.size ?? 0;
    this.#kept.delete(name);
  }
}
