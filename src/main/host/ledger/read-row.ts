import { isJsonObject, ownValue } from '../../../shared/json.ts';
import { parseMetricTime } from '../../../shared/parse-bot-time.ts';
import { type Decimal, MOST_DIGITS, ONE, readDecimal, ZERO } from './decimal.ts';
import {
  ADJUSTMENT_KINDS,
  type Adjustment,
  CASH_FLOW_KINDS,
  CONTRACTS,
  digitsOf,
  type Fill,
  type FillCancel,
  type LedgerRow,
  type LedgerType,
  LONGEST_SYMBOL,
  NumberText,
  ORDER_STATUSES,
  type Order,
  type Place,
  POSITION_SIDES,
  type PositionReport,
  parseExactly,
  SIDES,
} from './vocabulary.ts';

/** A row that the ledger understands, or a sentence that says why it cannot be booked. */
export type RowReading =
  | { readonly row: LedgerRow; readonly problem: null }
  | { readonly row: null; readonly problem: string };

const LONGEST_PLACE = 64;
const LONGEST_ID = 256;
const LONGEST_REASON = 1000;
/** Assets and currencies, in whatever case the bot writes them. */
const CURRENCY = /^[A-Za-z0-9._:-]{1,32}$/;
/** Characters that no name has: they would change how a terminal or a table shows the line. */
const CONTROL = /\p{Cc}/u;

/** How programs write that a fill is not cancelled. */
const NO: ReadonlySet<unknown> = new Set([false, 0, '', 'false']);
const DIGITS = /^\d+(?:\.\d+)?$/;
const DAY = /^(\d{4})-(\d{2})-(\d{2})/;
const FIRST_TIME = Date.UTC(2000, 0);
const LAST_TIME = Date.UTC(2100, 0);

/** True for a time at which something can have been traded: others come of a unit that was taken for another, or of no time. */
export function isTradeTime(time: number): boolean {
  return time >= FIRST_TIME && time < LAST_TIME;
}

/** When a row without a time of its own is booked: at the time of the line by the bot, if something can have been traded then. */
export function bookedAt(time: number | null, arrival: number): number {
  return time !== null && isTradeTime(time) ? time : arrival;
}

/** A time as text, with the hour that a day alone lacks; empty for a day that does not exist. */
function wholeTime(text: string): string {
  const [day, year, month, date] = DAY.exec(text) ?? [];
  if (day === undefined) return text;
  const exists = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date))).toISOString().startsWith(day);
  if (!exists) return '';
  return text === day ? `${day}T00:00:00Z` : text;
}

class FieldProblem extends Error {
  override readonly name = 'FieldProblem';
}

/** The fields of one row. Each method throws a FieldProblem for what the vocabulary does not allow. */
class Fields {
  readonly #object: object;

  constructor(object: object) {
    this.#object = object;
  }

  has(key: string): boolean {
    const value = ownValue(this.#object, key);
    return value !== undefined && value !== null;
  }

  optionalDecimal(key: string): Decimal | null {
    if (!this.has(key)) return null;
    const digits = digitsOf(this.#object, key);
    const value = digits === undefined ? null : readDecimal(digits);
    if (value === null) {
      throw new FieldProblem(
        `\`${key}\` must be a number, or its digits as text, with at most ${MOST_DIGITS} significant digits`,
      );
    }
    return value;
  }

  decimal(key: string): Decimal {
    return this.#required(key, this.optionalDecimal(key));
  }

  positive(key: string): Decimal {
    const value = this.decimal(key);
    if (!value.gt(ZERO)) throw new FieldProblem(`\`${key}\` must be greater than 0`);
    return value;
  }

  optionalPositive(key: string): Decimal | null {
    return this.has(key) ? this.positive(key) : null;
  }

  optionalText(key: string, longest: number): string | null {
    if (!this.has(key)) return null;
    const value = ownValue(this.#object, key);
    if (typeof value !== 'string') throw new FieldProblem(`\`${key}\` must be text`);
    if (value === '') return null;
    if (value.length > longest) throw new FieldProblem(`\`${key}\` must have at most ${longest} characters`);
    if (CONTROL.test(value) || !value.isWellFormed()) {
      throw new FieldProblem(`\`${key}\` must not have control characters or halves of characters`);
    }
    return value;
  }

  symbol(): string {
    return this.#required('symbol', this.optionalText('symbol', LONGEST_SYMBOL));
  }

  /** An id, which many venues send as a number. Tables of floats write it as `12345.0`. */
  optionalId(key: string): string | null {
    const value = ownValue(this.#object, key);
    if (typeof value !== 'number' && !(value instanceof NumberText)) return this.optionalText(key, LONGEST_ID);
    const [, digits] = /^(-?\d{1,256})(?:\.0+)?$/.exec(digitsOf(this.#object, key) ?? '') ?? [];
    if (digits === undefined) throw new FieldProblem(`\`${key}\` must be text or a whole number`);
    return digits === '-0' ? '0' : digits;
  }

  id(key: string): string {
    return this.#required(key, this.optionalId(key));
  }

  optionalCurrency(key: string): string | null {
    if (!this.has(key)) return null;
    const value = ownValue(this.#object, key);
    if (typeof value !== 'string' || !CURRENCY.test(value)) {
      throw new FieldProblem(`\`${key}\` must have 1 to 32 letters, digits, or signs of . _ : -`);
    }
    return value;
  }

  currency(key: string): string {
    return this.#required(key, this.optionalCurrency(key));
  }

  optionalChoice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | null {
    if (!this.has(key)) return null;
    const value = ownValue(this.#object, key);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new FieldProblem(`\`${key}\` must be one of ${choices.join(', ')}`);
    return found;
  }

  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice {
    return this.#required(key, this.optionalChoice(key, choices));
  }

  /** The time of the trade, in ms since the epoch; null if the row does not state one. A day means its beginning in UTC. */
  time(): number | null {
    if (!this.has('time')) return null;
    const value = ownValue(this.#object, 'time');
    const text = value instanceof NumberText ? value.text : value;
    const time = parseMetricTime(
      typeof text === 'string' ? (DIGITS.test(text) ? Number(text) : wholeTime(text)) : text,
    );
    if (time === null || !isTradeTime(time)) {
      throw new FieldProblem(
        '`time` must be ISO text, or seconds or milliseconds since 1970, of a day that exists, from 2000 to 2099',
      );
    }
    return time;
  }

  /** Refuses fields that mean something for other rows alone. */
  without(...keys: readonly string[]): void {
    const found = keys.find((key) => this.has(key));
    if (found !== undefined) throw new FieldProblem(`\`${found}\` is for rows of the type fill alone`);
  }

  place(): Place {
    return {
      venue: this.optionalText('venue', LONGEST_PLACE) ?? '',
      account: this.optionalText('account', LONGEST_PLACE) ?? '',
    };
  }

  /** The id of the fill that this row takes back; null if it takes none back. */
  cancels(): string | null {
    const value = ownValue(this.#object, 'cancelled');
    const said = typeof value === 'string' ? value.toLowerCase() : value;
    if (said === undefined || said === null || NO.has(said)) return null;
    if (said === true || said === 1 || said === 'true') return this.optionalId('revises') ?? this.id('fill_id');
    return this.id('cancelled');
  }

  #required<Value>(key: string, value: Value | null): Value {
    if (value === null) throw new FieldProblem(`\`${key}\` is missing`);
    return value;
  }
}

function readFill(fields: Fields): Fill | FillCancel {
  const cancels = fields.cancels();
  const id = fields.id('fill_id');
  if (cancels === null) return fillOf(fields, id, false);
  return { type: 'fill_cancel', id, cancels, symbol: fields.symbol(), time: fields.time(), ...fields.place() };
}

function fillOf(fields: Fields, id: string, unverified: boolean): Fill {
  const contract = fields.optionalChoice('contract', CONTRACTS) ?? 'spot';
  const price = fields.decimal('price');
  if (contract === 'inverse' && !price.gt(ZERO)) {
    throw new FieldProblem('`price` of an inverse contract must be greater than 0');
  }
  const revises = fields.optionalId('revises');
  if (revises === id) throw new FieldProblem('`revises` names the fill itself');
  return {
    type: 'fill',
    id,
    symbol: fields.symbol(),
    side: fields.choice('side', SIDES),
    quantity: fields.positive('quantity'),
    price,
    clientOrderId: fields.optionalId('client_order_id'),
    fee: fields.optionalDecimal('fee'),
    feeCurrency: fields.optionalCurrency('fee_currency'),
    currency: fields.optionalCurrency('currency'),
    base: fields.optionalCurrency('base'),
    multiplier: fields.optionalPositive('multiplier') ?? ONE,
    contract,
    positionSide: fields.optionalChoice('position_side', POSITION_SIDES) ?? 'net',
    realised: fields.optionalDecimal('realised'),
    revises,
    time: fields.time(),
    unverified,
    ...fields.place(),
  };
}

function readOrder(fields: Fields): Order {
  return {
    type: 'order',
    id: fields.id('client_order_id'),
    symbol: fields.symbol(),
    side: fields.choice('side', SIDES),
    quantity: fields.positive('quantity'),
    status: fields.choice('status', ORDER_STATUSES),
    orderType: fields.optionalText('type', LONGEST_PLACE),
    price: fields.optionalDecimal('price'),
    decisionId: fields.optionalId('decision_id'),
    leg: fields.optionalId('leg'),
    reason: fields.optionalText('reason', LONGEST_REASON),
    currency: fields.optionalCurrency('currency'),
    time: fields.time(),
    ...fields.place(),
  };
}

function readPosition(fields: Fields): PositionReport {
  return {
    type: 'position',
    symbol: fields.symbol(),
    quantity: fields.decimal('quantity'),
    averagePrice: fields.optionalDecimal('average_price'),
    price: fields.optionalDecimal('price'),
    value: fields.optionalDecimal('value'),
    currency: fields.optionalCurrency('currency'),
    positionSide: fields.optionalChoice('position_side', POSITION_SIDES) ?? 'net',
    ...fields.place(),
  };
}

function readAdjustment(fields: Fields): Adjustment {
  fields.without('cancelled', 'revises');
  const kind = fields.choice('kind', ADJUSTMENT_KINDS);
  const ratio = fields.optionalPositive('ratio');
  if (kind === 'split' && ratio === null) throw new FieldProblem('`ratio` is missing: the new units for an old one');
  const quantity = fields.decimal('quantity');
  const cost = fields.optionalDecimal('cost');
  if (cost?.lt(ZERO) && quantity.lt(ZERO)) {
    throw new FieldProblem('`cost` is what the units are worth, which the sign of `quantity` does not change');
  }
  return {
    type: 'adjustment',
    id: fields.id('adjustment_id'),
    symbol: fields.symbol(),
    kind,
    quantity,
    ratio,
    cost,
    currency: fields.optionalCurrency('currency'),
    time: fields.time(),
    ...fields.place(),
  };
}

/** What `trade` and `portfolio_value` of other platforms lack is that their rows have no id: the seq is one. */
const READERS: Readonly<Record<LedgerType, (fields: Fields, seq: number) => LedgerRow>> = {
  order: readOrder,
  fill: readFill,
  trade: (fields, seq) => {
    fields.without('cancelled', 'revises');
    return fillOf(fields, String(seq), true);
  },
  position: readPosition,
  equity: (fields) => ({
    type: 'equity',
    value: fields.decimal('value'),
    currency: fields.optionalCurrency('currency'),
    ...fields.place(),
  }),
  portfolio_value: (fields) => ({
    type: 'equity',
    value: fields.decimal('value'),
    currency: fields.optionalCurrency('currency'),
    ...fields.place(),
  }),
  cash_flow: (fields) => {
    fields.without('cancelled', 'revises');
    return {
      type: 'cash_flow',
      id: fields.id('flow_id'),
      amount: fields.decimal('amount'),
      currency: fields.currency('currency'),
      kind: fields.choice('kind', CASH_FLOW_KINDS),
      symbol: fields.optionalText('symbol', LONGEST_SYMBOL),
      fillId: fields.optionalId('fill_id'),
      time: fields.time(),
      ...fields.place(),
    };
  },
  adjustment: readAdjustment,
  rate: (fields) => ({
    type: 'rate',
    base: fields.currency('base'),
    quote: fields.currency('quote'),
    value: fields.positive('value'),
    time: fields.time(),
    ...fields.place(),
  }),
  price: (fields) => ({
    type: 'price',
    symbol: fields.symbol(),
    value: fields.decimal('value'),
    currency: fields.optionalCurrency('currency'),
    ...fields.place(),
  }),
};

/**
 * Reads a row of the vocabulary. `text` is the JSON text of the metric as it is stored; numbers count by their digits,
 * never as floats. Unknown fields are ignored; null counts as absent.
 */
export function readRow(type: LedgerType, text: string, seq: number): RowReading {
  const object = parseExactly(text);
  if (!isJsonObject(object)) return { row: null, problem: 'the row is not a JSON object' };
  try {
    return { row: READERS[type](new Fields(object), seq), problem: null };
  } catch (error) {
    if (error instanceof FieldProblem) return { row: null, problem: error.message };
    throw error;
  }
}
