import { type Decimal, decimalText, storedDecimal, ZERO } from './decimal.ts';
import { type LotMethod, Lots, type StoredLots } from './lots.ts';
import type { Contract, PositionSide } from './vocabulary.ts';

/** What the units of a position are. */
export interface Terms {
  readonly contract: Contract;
  /** What profit is counted in; null where no row says. */
  readonly currency: string | null;
  readonly multiplier: Decimal;
  /** No trade has told them yet: the next one does. */
  readonly assumed: boolean;
}

/** What a change did to a position. */
export interface PositionChange {
  /** Profit of the units that left, in the currency of the position; null where none left, or at no price. */
  readonly realised: Decimal | null;
  /** Units that left. */
  readonly closed: Decimal;
  /** Units among them of unknown cost: `realised` leaves them out. */
  readonly unknown: Decimal;
}

export interface StoredPosition {
  readonly direction: 1 | -1;
  readonly contract: Contract;
  readonly currency: string | null;
  readonly multiplier: string;
  readonly assumed: boolean;
  readonly lots: StoredLots;
}

export type Direction = 1 | -1;

const UNCHANGED: PositionChange = { realised: null, closed: ZERO, unknown: ZERO };

/**
 * The units that a bot holds of one symbol on one side: of a net position either long or short ones, of a hedged one always
 * those of its side. A lot of a linear contract is worth price × multiplier for each unit, one of an inverse contract
 * quantity × multiplier ÷ price as a whole.
 */
export class Position {
  readonly #side: PositionSide;
  readonly #method: LotMethod;
  #direction: Direction = 1;
  #terms: Terms | null = null;
  #lots: Lots;

  constructor(side: PositionSide, method: LotMethod) {
    this.#side = side;
    this.#method = method;
    this.#lots = new Lots(method);
  }

  static restore(side: PositionSide, method: LotMethod, stored: StoredPosition): Position {
    const position = new Position(side, method);
    const { direction, contract, currency, multiplier, assumed, lots } = stored;
    position.#direction = direction;
    position.#terms = { contract, currency, multiplier: storedDecimal(multiplier), assumed };
    position.#lots = Lots.restore(method, lots);
    return position;
  }

  /** For storage; null for a position without units, of which nothing is to be known. */
  stored(): StoredPosition | null {
    if (this.#terms === null || this.isFlat) return null;
    const { contract, currency, multiplier, assumed } = this.#terms;
    return {
      direction: this.#direction,
      contract,
      currency,
      multiplier: decimalText(multiplier),
      assumed,
      lots: this.#lots.stored(),
    };
  }

  get isFlat(): boolean {
    return this.#lots.quantity.eq(ZERO);
  }

  /** Units that are held, negative for short ones. */
  get quantity(): Decimal {
    return this.#direction === 1 ? this.#lots.quantity : this.#lots.quantity.neg();
  }

  /** Terms of the units that are held; null while there are none. */
  get terms(): Terms | null {
    return this.isFlat ? null : this.#terms;
  }

  /** Time of the oldest units; null while there are none. */
  get since(): number | null {
    return this.#lots.since;
  }

  /** Worth of a quantity at a price, in the currency of the position. */
  static worthAt(quantity: Decimal, price: Decimal, { contract, multiplier }: Terms): Decimal {
    const units = quantity.times(multiplier);
    return contract === 'inverse' ? units.div(price) : units.times(price);
  }

  /** What the units that are held were worth when they came; null where the cost of one is unknown. */
  cost(): Decimal | null {
    const { worth, unknown } = this.#lots.worth();
    return unknown.gt(ZERO) ? null : worth;
  }

  /** Average price of the units that are held; null while there are none, or where the cost of one or their terms are unknown. */
  averagePrice(): Decimal | null {
    const { terms } = this;
    const cost = this.cost();
    if (terms === null || terms.assumed || cost === null) return null;
    const units = this.#lots.quantity.times(terms.multiplier);
    if (terms.contract !== 'inverse') return cost.div(units);
    return cost.eq(ZERO) ? null : units.div(cost);
  }

  /** Profit if all units were sold at a price; null while there are none, or where the cost of one is unknown. */
  unrealised(price: Decimal): Decimal | null {
    const { terms } = this;
    const cost = this.cost();
    if (terms === null || cost === null) return null;
    if (terms.contract === 'inverse' && !price.gt(ZERO)) return null;
    return this.#profit(Position.worthAt(this.#lots.quantity, price, terms), cost, terms);
  }

  /** How many of the units that are held a change of this direction would close. */
  closes(direction: Direction, quantity: Decimal): Decimal {
    if (this.isFlat || this.#direction === direction) return ZERO;
    return quantity.gt(this.#lots.quantity) ? this.#lots.quantity : quantity;
  }

  /** Why a trade on these terms cannot be booked against the units that are held; null if it can. */
  refusal(direction: Direction, quantity: Decimal, terms: Terms): string | null {
    const held = this.terms;
    if (held !== null) {
      if (!held.assumed && held.contract !== terms.contract) {
        return `\`contract\` is ${terms.contract}, but the position is ${held.contract}`;
      }
      if (held.currency !== null && terms.currency !== null && held.currency !== terms.currency) {
        return `\`currency\` is ${terms.currency}, but the position is in ${held.currency}`;
      }
      if (!held.assumed && !held.multiplier.eq(terms.multiplier))
        return '`multiplier` is another one than that of the position';
    }
    const opens = this.#side === 'short' ? -1 : 1;
    if (this.#side === 'net' || direction === opens || quantity.lte(this.#lots.quantity)) return null;
    return `it closes more of the ${this.#side} position than is held`;
  }

  /** Books a trade that `refusal` allows, at the worth of each unit: closes what is held on the other side, and opens the rest. */
  trade(
    direction: Direction,
    quantity: Decimal,
    price: Decimal,
    terms: Terms,
    seq: number,
    at: number,
  ): PositionChange {
    this.#learn(terms);
    const closed = this.closes(direction, quantity);
    const change = closed.gt(ZERO) ? this.close(closed, Position.worthAt(closed, price, terms)) : UNCHANGED;
    const opened = quantity.minus(closed);
    if (opened.gt(ZERO)) {
      // A trade that turns a position is in the currency of what it closed.
      const known = closed.gt(ZERO) ? (this.#terms?.currency ?? null) : null;
      this.#begin(direction, { ...terms, currency: terms.currency ?? known });
      if (terms.contract === 'inverse') this.#lots.addAll(opened, Position.worthAt(opened, price, terms), seq, at);
      else this.#lots.addEach(opened, price.times(terms.multiplier), seq, at);
    }
    return change;
  }

  /** Adds units that are worth `all` together; null where that is unknown. The position holds none of the other side. */
  open(direction: Direction, quantity: Decimal, all: Decimal | null, terms: Terms, seq: number, at: number): void {
    this.#begin(direction, terms);
    this.#lots.addAll(quantity, all, seq, at);
  }

  /** Removes units that are held; `worth` is what they brought, or null where they went without a price. */
  close(quantity: Decimal, worth: Decimal | null): PositionChange {
    const terms = this.#terms;
    if (terms === null) throw new RangeError('a position without units has none to close');
    const taken = this.#lots.take(quantity);
    if (worth === null) return { realised: null, closed: quantity, unknown: taken.unknown };
    if (taken.unknown.eq(quantity)) return { realised: null, closed: quantity, unknown: taken.unknown };
    // Of what the units brought, those of unknown cost have their share.
    const share = taken.unknown.eq(ZERO) ? worth : worth.times(quantity.minus(taken.unknown)).div(quantity);
    return { realised: this.#profit(share, taken.worth, terms), closed: quantity, unknown: taken.unknown };
  }

  /** True if a split leaves something of each lot, and no more than a number may be. */
  maySplit(ratio: Decimal): boolean {
    return this.#lots.maySplit(ratio);
  }

  /** Splits each unit; `total` is what is left as a whole where that is known better than the ratio. */
  split(ratio: Decimal, total: Decimal | null): void {
    this.#lots.split(ratio, total);
  }

  /** One instrument has one currency: a row that names it tells it for those that did not. */
  #learn(terms: Terms): void {
    const own = this.#terms;
    if (own === null || (own.currency !== null && !own.assumed)) return;
    this.#terms = { ...(own.assumed ? terms : own), currency: own.currency ?? terms.currency };
  }

  #begin(direction: Direction, terms: Terms): void {
    if (!this.isFlat) return;
    this.#direction = direction;
    this.#terms = terms;
    this.#lots = new Lots(this.#method);
  }

  /** What leaves at `out` after it came at `into`. Of an inverse contract a higher price is a lower worth. */
  #profit(out: Decimal, into: Decimal, { contract }: Terms): Decimal {
    const gained = out.minus(into);
    return (this.#direction === 1) === (contract !== 'inverse') ? gained : gained.neg();
  }
}
