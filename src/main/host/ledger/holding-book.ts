import { type Decimal, decimalText, ONE, ZERO } from './decimal.ts';
import type { LotMethod } from './lots.ts';
import { type Direction, Position, type PositionChange, type StoredPosition, type Terms } from './position.ts';
import {
  type Adjustment,
  type AdjustmentKind,
  type CashFlow,
  type Fill,
  type Place,
  POSITION_SIDES,
  type PositionReport,
  type PositionSide,
  type Price,
} from './vocabulary.ts';

/** A row that changes what is held or earned, with its place in the order of booking. */
export interface BookableRow {
  readonly row: Fill | CashFlow | Adjustment | PositionReport | Price;
  readonly seq: number;
  /** Time by which it is booked, in ms since the epoch. */
  readonly at: number;
}

/** An amount of money, or of an asset. Rows that name no currency have one of their own for each symbol. */
export interface Amount {
  readonly currency: string | null;
  readonly amount: Decimal;
}

/** What became of a row. */
export type Booking =
  | { readonly booked: false; readonly problem: string }
  | {
      readonly booked: true;
      /** Gross profit of the units that left; null where none left, or where their cost or price is unknown. */
      readonly realised: Amount | null;
      /** The fee of a fill, negative for a rebate. */
      readonly fee: Amount | null;
      /** Units that left, and those among them of unknown cost. */
      readonly closed: Decimal;
      readonly unknown: Decimal;
      /** What differs from what the venue says, in words; null where nothing does. */
      readonly difference: string | null;
    };

export interface StoredHolding {
  readonly account: string;
  readonly symbol: string;
  readonly side: PositionSide;
  readonly position: StoredPosition;
}

export interface StoredPrice {
  readonly symbol: string;
  readonly value: string;
  readonly currency: string | null;
  readonly at: number;
}

/** A position, whatever the venue: an account, or the bot itself where it names none, holds a symbol once on each side. */
interface Holding {
  readonly account: string;
  readonly symbol: string;
  readonly side: PositionSide;
  readonly position: Position;
}

const NOTHING = { booked: true, realised: null, fee: null, closed: ZERO, unknown: ZERO, difference: null } as const;

/** Adjustments whose units leave at what they brought; those of others leave at what they had cost. */
const SOLD: ReadonlySet<AdjustmentKind> = new Set(['dust', 'conversion', 'expiry', 'exercise', 'assignment']);
/** On which side an adjustment may begin a position, or add to one. */
const MAY_OPEN: Readonly<Record<Exclude<AdjustmentKind, 'split'>, 'either' | 'long' | 'never'>> = {
  opening: 'either',
  transfer: 'long',
  reward: 'long',
  dust: 'long',
  conversion: 'long',
  expiry: 'never',
  exercise: 'either',
  assignment: 'either',
};

const refused = (problem: string): Booking => ({ booked: false, problem });

/**
 * What one bot holds in one mode, booked row by row in the order of (at, seq). The same rows in the same order give the same
 * book, whatever was stored and restored between them.
 */
export class HoldingBook {
  readonly #method: LotMethod;
  readonly #holdings = new Map<string, Holding>();

  constructor(method: LotMethod, stored: readonly StoredHolding[] = []) {
    this.#method = method;
    for (const { position, ...rest } of stored) {
      this.#holdings.set(keyOf(rest, rest.symbol, rest.side), {
        ...rest,
        position: Position.restore(rest.side, method, position),
      });
    }
  }

  /** Everything that is held, sorted, so that equal books give equal texts. */
  stored(): StoredHolding[] {
    const entries = [...this.#holdings].sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.flatMap(([, { position, account, symbol, side }]) => {
      const stored = position.stored();
      return stored === null ? [] : [{ account, symbol, side, position: stored }];
    });
  }

  /** The positions with units. */
  *holdings(): Iterable<Readonly<Holding>> {
    for (const holding of this.#holdings.values()) if (!holding.position.isFlat) yield holding;
  }

  /** Units that are held of a symbol on a side, negative for short ones. */
  held(account: string, symbol: string, side: PositionSide): Decimal {
    return this.#holdings.get(keyOf({ account }, symbol, side))?.position.quantity ?? ZERO;
  }

  /** Books the next row. A row that is not booked changes nothing. */
  book({ row, seq, at }: BookableRow): Booking {
    switch (row.type) {
      case 'fill':
        return this.#fill(row, seq, at);
      case 'adjustment':
        return row.kind === 'split' ? this.#split(row) : this.#adjust(row, row.kind, seq, at);
      case 'position':
        return this.#compare(row);
      default:
        return NOTHING;
    }
  }

  #fill(fill: Fill, seq: number, at: number): Booking {
    const { contract, currency, multiplier, price } = fill;
    const direction: Direction = fill.side === 'BUY' ? 1 : -1;
    const { position } = this.#holding(fill, fill.symbol, fill.positionSide);
    const inBase = feeInBase(fill);
    // Units that are bought come without those that were their fee; units that are sold leave beside it.
    const traded = direction === 1 ? fill.quantity.minus(inBase) : fill.quantity;
    if (inBase.abs().gte(fill.quantity)) return refused('the fee is not less than the quantity');
    const terms: Terms = { contract, currency, multiplier, assumed: false };
    const problem = position.refusal(direction, traded, terms);
    if (problem !== null) return refused(problem);
    if (direction === -1 && fill.positionSide === 'long') {
      const left = position.quantity.minus(traded);
      if (inBase.gt(left)) return refused('its fee takes more of the long position than is held');
    }
    const profitCurrency = position.terms?.currency ?? currency;
    const change = position.trade(direction, traded, price, terms, seq, at);
    if (direction === -1 && !inBase.eq(ZERO)) takeFee(position, inBase, price, terms, seq, at);
    return {
      booked: true,
      realised: change.realised === null ? null : { currency: profitCurrency, amount: change.realised },
      fee: fill.fee === null ? null : { currency: fill.feeCurrency, amount: fill.fee },
      closed: change.closed,
      unknown: change.unknown,
      difference: profitDifference(fill, change),
    };
  }

  /** A split reaches every position of the symbol in the account, on any side. */
  #split(row: Adjustment): Booking {
    const { ratio } = row;
    if (ratio === null) return refused('`ratio` is missing');
    const positions = this.#open(row).map(({ position }) => position);
    const before = positions.reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
    const [only] = positions;
    // A third has no end of digits: what the row says is left counts, if it agrees with as many as the ratio has.
    const told = positions.length === 1 && agrees(before, ratio, row.quantity) ? before.plus(row.quantity).abs() : null;
    if (!positions.every((position) => position.maySplit(ratio)))
      return refused('too little or too much would be left');
    if (told !== null) only?.split(ratio, told);
    else for (const position of positions) position.split(ratio, null);
    const after = positions.reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
    const added = after.minus(before);
    if (row.quantity.eq(added)) return NOTHING;
    return {
      ...NOTHING,
      difference: `the ratio adds ${decimalText(added)} units, \`quantity\` says ${decimalText(row.quantity)}`,
    };
  }

  #adjust(row: Adjustment, kind: keyof typeof MAY_OPEN, seq: number, at: number): Booking {
    if (row.quantity.eq(ZERO)) return refused('`quantity` must not be 0');
    const direction: Direction = row.quantity.gt(ZERO) ? 1 : -1;
    const quantity = row.quantity.abs();
    const holding = this.#adjusted(row);
    if (holding === null) return refused('the symbol has a long and a short position, and the row does not say which');
    const { position } = holding;
    const held = position.terms;
    const closed = position.closes(direction, quantity);
    if (closed.eq(ZERO)) {
      if (held?.currency != null && row.currency !== null && held.currency !== row.currency) {
        return refused(`\`currency\` is ${row.currency}, but the position is in ${held.currency}`);
      }
      const may = MAY_OPEN[kind];
      if (may === 'never' || (may === 'long' && direction === -1)) {
        return refused('nothing is held that it could take away');
      }
      const terms: Terms = held ?? { contract: 'spot', currency: row.currency, multiplier: ONE, assumed: true };
      const cost = row.cost ?? (row.kind === 'reward' ? ZERO : null);
      position.open(direction, quantity, cost, terms, seq, at);
      return NOTHING;
    }
    if (closed.lt(quantity)) return refused('it takes away more than is held');
    if (row.kind === 'opening') return refused('it is on the other side of what is held');
    if (held === null) throw new RangeError('a position without units has none to close');
    if (row.kind === 'expiry' && row.cost === null && held.contract !== 'option') {
      return refused('`cost` is missing: what the units brought when they expired');
    }
    const brought = broughtBy(row, held);
    const change = position.close(quantity, brought.worth);
    return {
      ...NOTHING,
      realised: change.realised === null ? null : { currency: held.currency ?? row.currency, amount: change.realised },
      closed: change.closed,
      unknown: brought.worth === null && SOLD.has(row.kind) ? change.closed : change.unknown,
      difference: brought.difference,
    };
  }

  /** The position that an adjustment means, which names no side; null if that could be either of two. */
  #adjusted(row: Adjustment): Holding | null {
    const open = this.#open(row);
    return open.length > 1 ? null : (open[0] ?? this.#holding(row, row.symbol, 'net'));
  }

  /** The positions with units of the symbol in the account, on any side. */
  #open(row: Adjustment): Holding[] {
    return POSITION_SIDES.flatMap((side) => {
      const holding = this.#holdings.get(keyOf(row, row.symbol, side));
      return holding === undefined || holding.position.isFlat ? [] : [holding];
    });
  }

  #compare(row: PositionReport): Booking {
    const held = this.#holdings.get(keyOf(row, row.symbol, row.positionSide))?.position.quantity ?? ZERO;
    // Venues write a short leg as its size, or as a negative number.
    const says = row.positionSide === 'short' ? row.quantity.abs().neg() : row.quantity;
    if (says.eq(held)) return NOTHING;
    return { ...NOTHING, difference: `the bot says ${decimalText(says)}, its fills say ${decimalText(held)}` };
  }

  #holding({ account }: Place, symbol: string, side: PositionSide): Holding {
    const key = keyOf({ account }, symbol, side);
    let holding = this.#holdings.get(key);
    if (holding === undefined) {
      holding = { account, symbol, side, position: new Position(side, this.#method) };
      this.#holdings.set(key, holding);
    }
    return holding;
  }
}

function keyOf({ account }: Pick<Place, 'account'>, symbol: string, side: PositionSide): string {
  return JSON.stringify([account, symbol, side]);
}

/** What units that leave by an adjustment brought; `worth` is null where that is unknown, or they leave at what they cost. */
function broughtBy(
  { kind, cost, currency }: Adjustment,
  held: Terms,
): { readonly worth: Decimal | null; readonly difference: string | null } {
  const nothing = { worth: null, difference: null };
  if (kind === 'reward') return { worth: cost ?? ZERO, difference: null };
  if (!SOLD.has(kind)) return nothing;
  // No trade has said yet what the units are.
  if (held.assumed) return nothing;
  if (cost !== null && currency !== null && currency !== held.currency) {
    const own = held.currency === null ? 'the position names no currency' : `the position is in ${held.currency}`;
    return { worth: null, difference: `\`cost\` is in ${currency}, and ${own}: no profit is counted` };
  }
  return { worth: cost ?? (kind === 'expiry' ? ZERO : null), difference: null };
}

/** Digits after the point from which a ratio may be one that was cut off. */
const CUT_DIGITS = 6;

/** True if a ratio without an end of digits means the change that a row names. */
function agrees(held: Decimal, ratio: Decimal, change: Decimal): boolean {
  const places = Math.max(0, ratio.c.length - 1 - ratio.e);
  if (places < CUT_DIGITS) return false;
  const left = held.plus(change);
  const isSameSide = left.gt(ZERO) === held.gt(ZERO) && !left.eq(ZERO);
  return (
    isSameSide &&
    left
      .minus(held.times(ratio))
      .abs()
      .lte(held.abs().times(`1e-${places}`))
  );
}

/** The units of the base asset that a fee of a spot trade takes; negative for a rebate, 0 where it is in another currency. */
export function feeInBase({ contract, fee, feeCurrency, base }: Fill): Decimal {
  return contract === 'spot' && fee !== null && base !== null && feeCurrency === base ? fee : ZERO;
}

/** Takes the units that were the fee of a sale, or adds those of its rebate: what leaves by it has earned nothing. */
function takeFee(position: Position, fee: Decimal, price: Decimal, terms: Terms, seq: number, at: number): void {
  const direction: Direction = fee.gt(ZERO) ? -1 : 1;
  const units = fee.abs();
  const currency = terms.currency ?? position.terms?.currency ?? null;
  const closed = position.closes(direction, units);
  if (closed.gt(ZERO)) position.close(closed, null);
  const opened = units.minus(closed);
  if (opened.gt(ZERO)) position.trade(direction, opened, price, { ...terms, currency }, seq, at);
}

/** How the profit that the venue sent differs from ours, in words; null where it does not, or cannot be compared. */
function profitDifference({ realised }: Fill, change: PositionChange): string | null {
  if (realised === null || change.unknown.gt(ZERO)) return null;
  const ours = change.realised ?? ZERO;
  // Venues round.
  const places = Math.max(0, realised.c.length - 1 - realised.e);
  return ours.round(places).eq(realised)
    ? null
    : `the venue says ${decimalText(realised)} profit, the fills say ${decimalText(ours)}`;
}
