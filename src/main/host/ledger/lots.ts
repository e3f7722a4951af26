import { type Decimal, decimalText, MOST_MAGNITUDE, quotient, storedDecimal, ZERO } from './decimal.ts';

/** Which of the units that are held leave first: the oldest, or an equal part of all. */
export type LotMethod = 'fifo' | 'average';

/**
 * Units that came together. What they were worth is exact: a worth for each unit, or one for all of them, of which a part
 * is a quotient. It has neither where no row told their cost.
 */
interface Lot {
  quantity: Decimal;
  /** Worth of one unit. */
  readonly each: Decimal | null;
  /** Worth of all units that are left. */
  all: Decimal | null;
  /** Seq of the row that brought them. */
  readonly seq: number;
  /** Time of that row, in ms since the epoch. */
  readonly at: number;
}

/** What units that left had been worth when they came. */
export interface Taken {
  readonly worth: Decimal;
  /** Units among them of unknown cost. */
  readonly unknown: Decimal;
}

/** A worth of lots for storage: `e` for each unit, `a` for all. */
interface StoredLot {
  readonly q: string;
  readonly e?: string;
  readonly a?: string;
  readonly seq: number;
  readonly at: number;
}
export type StoredLots = readonly StoredLot[];

/** The units of one position, in the order in which they leave. */
export class Lots {
  readonly #method: LotMethod;
  #lots: Lot[] = [];
  /** Lots before this one have left. */
  #first = 0;
  #quantity = ZERO;

  constructor(method: LotMethod) {
    this.#method = method;
  }

  static restore(method: LotMethod, stored: StoredLots): Lots {
    const lots = new Lots(method);
    for (const { q, e, a, seq, at } of stored) {
      const quantity = storedDecimal(q);
      const each = e === undefined ? null : storedDecimal(e);
      lots.#lots.push({ quantity, each, all: a === undefined ? null : storedDecimal(a), seq, at });
      lots.#quantity = lots.#quantity.plus(quantity);
    }
    return lots;
  }

  /** Units that are held. */
  get quantity(): Decimal {
    return this.#quantity;
  }

  /** Time of the oldest units that are held; null without any. */
  get since(): number | null {
    return this.#lots[this.#first]?.at ?? null;
  }

  /** Adds units worth `each` apiece. */
  addEach(quantity: Decimal, each: Decimal, seq: number, at: number): void {
    this.#add({ quantity, each, all: null, seq, at });
  }

  /** Adds units that are worth `all` together; null where that is unknown. */
  addAll(quantity: Decimal, all: Decimal | null, seq: number, at: number): void {
    this.#add({ quantity, each: null, all, seq, at });
  }

  /** Removes units, at most those that are held. */
  take(quantity: Decimal): Taken {
    let left = quantity;
    let worth = ZERO;
    let unknown = ZERO;
    for (let lot = this.#lots[this.#first]; lot !== undefined && left.gt(ZERO); lot = this.#lots[this.#first]) {
      const isWhole = left.gte(lot.quantity);
      const part = isWhole ? lot.quantity : left;
      const known = takeWorth(lot, part, isWhole);
      if (known === null) unknown = unknown.plus(part);
      else worth = worth.plus(known);
      left = left.minus(part);
      if (isWhole) this.#removeFirst();
      else lot.quantity = lot.quantity.minus(part);
    }
    this.#quantity = this.#quantity.minus(quantity);
    return { worth, unknown };
  }

  /** True if a split leaves something of each lot, and no more than a number may be. */
  maySplit(ratio: Decimal): boolean {
    return this.#lots.slice(this.#first).every(({ quantity }) => {
      const split = quotient(quantity.times(ratio));
      return split.gt(ZERO) && split.e < MOST_MAGNITUDE;
    });
  }

  /**
   * Turns each unit into `ratio` units, which are worth what the old ones were. Quantities have at most as many decimals as a
   * quotient; the last lot gets what is left of `total`, where that is given.
   */
  split(ratio: Decimal, total: Decimal | null): void {
    const lots = this.#lots.slice(this.#first);
    this.#lots = [];
    this.#first = 0;
    this.#quantity = ZERO;
    for (const { quantity, each, all, seq, at } of lots) {
      const isLast = this.#lots.length === lots.length - 1;
      const rest = total !== null && isLast ? total.minus(this.#quantity) : ZERO;
      const split = rest.gt(ZERO) ? rest : quotient(quantity.times(ratio));
      this.#lots.push({ quantity: split, each: null, all: each === null ? all : each.times(quantity), seq, at });
      this.#quantity = this.#quantity.plus(split);
    }
  }

  /** What all units were worth when they came. */
  worth(): Taken {
    let worth = ZERO;
    let unknown = ZERO;
    for (let at = this.#first; at < this.#lots.length; at++) {
      const lot = this.#lots[at] as Lot;
      const known = lot.each === null ? lot.all : lot.each.times(lot.quantity);
      if (known === null) unknown = unknown.plus(lot.quantity);
      else worth = worth.plus(known);
    }
    return { worth, unknown };
  }

  stored(): StoredLots {
    return this.#lots.slice(this.#first).map(({ quantity, each, all, seq, at }) => ({
      q: decimalText(quantity),
      ...(each === null ? {} : { e: decimalText(each) }),
      ...(all === null ? {} : { a: decimalText(all) }),
      seq,
      at,
    }));
  }

  #add(lot: Lot): void {
    const old = this.#method === 'average' ? this.#lots[this.#first] : undefined;
    this.#quantity = this.#quantity.plus(lot.quantity);
    if (old === undefined) this.#lots.push(lot);
    else this.#lots[this.#first] = merged(old, lot);
  }

  #removeFirst(): void {
    this.#first += 1;
    // Half of the list may be of lots that have left; moving the others costs no more than their coming did.
    if (this.#first * 2 <= this.#lots.length) return;
    this.#lots = this.#lots.slice(this.#first);
    this.#first = 0;
  }
}

/** Returns what a part of a lot was worth, and leaves the rest of its worth; null if it is unknown. */
function takeWorth(lot: Lot, part: Decimal, isWhole: boolean): Decimal | null {
  if (lot.each !== null) return lot.each.times(part);
  if (lot.all === null || isWhole) return lot.all;
  const worth = lot.all.times(part).div(lot.quantity);
  // What rounding took from one part is in the rest, so that all parts together are worth what the lot was.
  lot.all = lot.all.minus(worth);
  return worth;
}

/** Units of an average have one worth together; it is unknown if that of a part is. */
function merged(old: Lot, lot: Lot): Lot {
  const quantity = old.quantity.plus(lot.quantity);
  const [was, is] = [old, lot].map(({ each, all, quantity }) => (each === null ? all : each.times(quantity)));
  const all = was == null || is == null ? null : was.plus(is);
  return { quantity, each: null, all, seq: old.seq, at: old.at };
}
