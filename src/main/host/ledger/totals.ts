import type { Statements } from '../../../node/statements.ts';
import { type Decimal, decimalText, storedDecimal, ZERO } from './decimal.ts';
import type { Place } from './vocabulary.ts';

const DAY_MS = 86_400_000;
/** Sums that are kept in memory. */
const MOST_STORED = 1000;

/** Kind of gross profit. */
export const REALISED = 'realised';
/** Kind of the fees of fills, negative for rebates; cash flows of the kind `fee` are another sum, with the other sign. */
export const FILL_FEE = 'fill_fee';

/** An amount that counts on a day. `kind` is one of those above, or the kind of a cash flow. */
export interface Counted extends Place {
  readonly at: number;
  readonly symbol: string;
  readonly kind: string;
  readonly currency: string;
  readonly amount: Decimal;
}

interface Change extends Omit<Counted, 'at'> {
  readonly day: number;
}

/** A sum of a day (days since 1970), in UTC as it is stored; a currency, venue or account that no row names is the empty text. */
export interface StoredTotal {
  readonly day: number;
  readonly venue: string;
  readonly account: string;
  readonly symbol: string;
  readonly kind: string;
  readonly currency: string;
  readonly amount: string;
}

/** UTC day of a time: days since 1970. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

/**
 * Changes of the sums of one book, which reach the database together. Only this object may write them; after a failed transaction
 * it must be thrown away.
 */
export class TotalChanges {
  readonly #changes = new Map<string, Change>();
  /** Sums as they are stored: those of today change with every fill. */
  readonly #stored = new Map<string, Decimal>();

  add({ at, venue, account, symbol, kind, currency, amount }: Counted): void {
    const day = dayOf(at);
    const key = JSON.stringify([day, venue, account, symbol, kind, currency]);
    const known = this.#changes.get(key)?.amount ?? ZERO;
    this.#changes.set(key, { day, venue, account, symbol, kind, currency, amount: known.plus(amount) });
  }

  remove(counted: Counted): void {
    this.add({ ...counted, amount: counted.amount.neg() });
  }

  /** Writes the changes, and returns the days whose sums are others now. */
  flush(statements: Statements, book: number): Set<number> {
    const days = new Set<number>();
    if (this.#stored.size > MOST_STORED) this.#stored.clear();
    for (const [name, { day, venue, account, symbol, kind, currency, amount }] of this.#changes) {
      if (amount.eq(ZERO)) continue;
      days.add(day);
      const key = [book, day, venue, account, symbol, kind, currency] as const;
      const sum = (this.#stored.get(name) ?? readSum(statements, key)).plus(amount);
      this.#stored.set(name, sum);
      // A sum of 0 is no sum: a book that was corrected to nothing is one that never had it.
      if (sum.eq(ZERO)) statements.run(DELETE, ...key);
      else statements.run(UPSERT, ...key, decimalText(sum));
    }
    this.#changes.clear();
    return days;
  }
}

type SumKey = readonly [book: number, day: number, ...names: string[]];

function readSum(statements: Statements, key: SumKey): Decimal {
  const stored = statements.get<{ amount: string }>(SELECT, ...key);
  return stored === undefined ? ZERO : storedDecimal(stored.amount);
}

const WHERE = 'where book = ? and day = ? and venue = ? and account = ? and symbol = ? and kind = ? and currency = ?';
const SELECT = `select amount from total ${WHERE}`;
const DELETE = `delete from total ${WHERE}`;
const UPSERT = `insert into total(book, day, venue, account, symbol, kind, currency, amount) values(?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do update set amount = excluded.amount`;
