import type { Statements } from '../../../node/statements.ts';
import { isJsonObject, ownValue } from '../../../shared/json.ts';
import { type Decimal, decimalText, readDecimal, storedDecimal } from './decimal.ts';
import { dayOf } from './totals.ts';
import {
  digitsOf,
  type Equity,
  LONGEST_SYMBOL,
  type PositionReport,
  type Price,
  parseExactly,
  type Rate,
  SIDES,
} from './vocabulary.ts';

/** When a row was written: its time in ms since the epoch, and its seq. */
export interface ObservedAt {
  readonly at: number;
  readonly seq: number;
}

const MINUTE_MS = 60_000;
/** Symbols whose newest price a book keeps: a bot could invent names without end. */
export const MOST_PRICES = 5000;

/** Equity within one minute. */
interface Minute {
  readonly place: readonly [venue: string, account: string, currency: string, minute: number];
  last: ObservedAt & { readonly value: Decimal };
  low: Decimal;
  high: Decimal;
}

const isAfter = (a: ObservedAt, b: ObservedAt): boolean => a.at > b.at || (a.at === b.at && a.seq > b.seq);

/**
 * Keeps, of one book, what rows say that book nothing: prices, equity, rates, signals and positions that the bot reports.
 * Prices and equity come with every tick, so they reach the database once for all rows that were taken together.
 */
export class Observations {
  readonly #statements: Statements;
  readonly #id: number;
  readonly #prices = new Map<string, { readonly price: Price; readonly when: ObservedAt }>();
  readonly #minutes = new Map<string, Minute>();

  constructor(statements: Statements, id: number) {
    this.#statements = statements;
    this.#id = id;
  }

  price(price: Price, when: ObservedAt): void {
    const known = this.#prices.get(price.symbol);
    // By seq: a clock that was wrong for a moment must not hold a price for years.
    if (known === undefined || when.seq > known.when.seq) this.#prices.set(price.symbol, { price, when });
  }

  equity({ venue, account, currency, value }: Equity, when: ObservedAt): void {
    const place = [venue, account, currency ?? '', Math.floor(when.at / MINUTE_MS)] as const;
    const key = JSON.stringify(place);
    const known = this.#minutes.get(key);
    if (known === undefined) {
      this.#minutes.set(key, { place, last: { ...when, value }, low: value, high: value });
      return;
    }
    if (isAfter(when, known.last)) known.last = { ...when, value };
    if (value.lt(known.low)) known.low = value;
    if (value.gt(known.high)) known.high = value;
  }

  rate({ base, quote, value, time }: Rate, { at, seq }: ObservedAt): void {
    const when = time ?? at;
    this.#statements.run(
      `insert into rate(book, base, quote, day, at, seq, value) values(?, ?, ?, ?, ?, ?, ?)
        on conflict do update set at = excluded.at, seq = excluded.seq, value = excluded.value
        where (excluded.at, excluded.seq) > (at, seq)`,
      ...[this.#id, base, quote, dayOf(when), when, seq, decimalText(value)],
    );
  }

  /** `held`: what the fills of the bot said when it wrote the report. */
  report({ account, symbol, positionSide, quantity }: PositionReport, held: Decimal, { at, seq }: ObservedAt): void {
    // Venues write a short leg as its size, or as a negative number.
    const says = positionSide === 'short' ? quantity.abs().neg() : quantity;
    this.#statements.run(
      `insert into report(book, account, symbol, side, at, seq, quantity, held) values(?, ?, ?, ?, ?, ?, ?, ?)
        on conflict do update set at = excluded.at, seq = excluded.seq, quantity = excluded.quantity, held = excluded.held
        where excluded.seq > seq`,
      ...[this.#id, account, symbol, positionSide, at, seq, decimalText(says), decimalText(held)],
    );
  }

  /** Takes a signal, whatever it says: it is shown, and nothing is counted with it. */
  signal(text: string, { at, seq }: ObservedAt): void {
    const row = parseExactly(text);
    const [symbol, type] = isJsonObject(row) ? [ownValue(row, 'symbol'), ownValue(row, 'type')] : [];
    const digits = isJsonObject(row) ? digitsOf(row, 'price') : undefined;
    const price = digits === undefined ? null : readDecimal(digits);
    this.#statements.run(
      `insert into signals(book, day, count, at, seq, symbol, side, price) values(?, ?, 1, ?, ?, ?, ?, ?)
        on conflict do update set count = count + 1,
        symbol = iif((excluded.at, excluded.seq) > (at, seq), excluded.symbol, symbol),
        side = iif((excluded.at, excluded.seq) > (at, seq), excluded.side, side),
        price = iif((excluded.at, excluded.seq) > (at, seq), excluded.price, price),
        seq = iif((excluded.at, excluded.seq) > (at, seq), excluded.seq, seq), at = max(at, excluded.at)`,
      ...[this.#id, dayOf(at), at, seq],
      ...[typeof symbol === 'string' && symbol.length <= LONGEST_SYMBOL ? symbol : null],
      ...[SIDES.find((side) => side === type) ?? null, price === null ? null : decimalText(price)],
    );
  }

  /** Writes what was taken. */
  flush(): void {
    let isNew = false;
    for (const { price, when } of this.#prices.values()) isNew = this.#storePrice(price, when) || isNew;
    this.#prices.clear();
    if (isNew) this.#trimPrices();
    for (const minute of this.#minutes.values()) this.#storeMinute(minute);
    this.#minutes.clear();
  }

  #trimPrices(): void {
    const count = this.#statements.get<{ n: number }>('select count(*) as n from price where book = ?', this.#id);
    if ((count?.n ?? 0) <= MOST_PRICES) return;
    this.#statements.run(
      `delete from price where book = ? and symbol in
        (select symbol from price where book = ? order by seq desc limit -1 offset ?)`,
      ...[this.#id, this.#id, MOST_PRICES],
    );
  }

  /** True if the book had no price of the symbol. */
  #storePrice({ symbol, value, currency }: Price, { at, seq }: ObservedAt): boolean {
    const known = this.#statements.get<{ seq: number }>(
      'select seq from price where book = ? and symbol = ?',
      this.#id,
      symbol,
    );
    if (known !== undefined && known.seq > seq) return false;
    this.#statements.run(
      'insert or replace into price(book, symbol, at, seq, value, currency) values(?, ?, ?, ?, ?, ?)',
      ...[this.#id, symbol, at, seq, decimalText(value), currency ?? ''],
    );
    return known === undefined;
  }

  #storeMinute({ place, last, low, high }: Minute): void {
    const known = this.#statements.get<ObservedAt & { value: string; low: string; high: string }>(
      `select at, seq, value, low, high from equity
        where book = ? and venue = ? and account = ? and currency = ? and minute = ?`,
      this.#id,
      ...place,
    );
    let newest = last;
    if (known !== undefined) {
      const [oldLow, oldHigh] = [storedDecimal(known.low), storedDecimal(known.high)];
      if (!isAfter(last, known)) newest = { at: known.at, seq: known.seq, value: storedDecimal(known.value) };
      if (oldLow.lt(low)) low = oldLow;
      if (oldHigh.gt(high)) high = oldHigh;
    }
    this.#statements.run(
      `insert or replace into equity(book, venue, account, currency, minute, at, seq, value, low, high)
        values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[this.#id, ...place, newest.at, newest.seq, decimalText(newest.value), decimalText(low), decimalText(high)],
    );
  }
}
