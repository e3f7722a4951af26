import { ownValue } from '../../../shared/json.ts';
import type { Decimal } from './decimal.ts';

/** Metric types of which the ledger takes rows, as bots send them. The last two are what bots of other platforms write. */
export const LEDGER_TYPES = [
  'order',
  'fill',
  'position',
  'equity',
  'cash_flow',
  'adjustment',
  'rate',
  'price',
  'trade',
  'portfolio_value',
] as const;
export type LedgerType = (typeof LEDGER_TYPES)[number];

/** Most characters of a symbol. */
export const LONGEST_SYMBOL = 128;

export const SIDES = ['BUY', 'SELL'] as const;
export const POSITION_SIDES = ['net', 'long', 'short'] as const;
export const CONTRACTS = ['spot', 'linear', 'inverse', 'option'] as const;
export const ORDER_STATUSES = [
  'new',
  'accepted',
  'partially_filled',
  'filled',
  'cancelled',
  'rejected',
  'expired',
] as const;
export const CASH_FLOW_KINDS = [
  'deposit',
  'withdrawal',
  'funding',
  'interest',
  'dividend',
  'fee',
  'rebate',
  'borrow',
  'tax',
  'other',
] as const;
export const ADJUSTMENT_KINDS = [
  'opening',
  'split',
  'transfer',
  'reward',
  'dust',
  'conversion',
  'expiry',
  'exercise',
  'assignment',
] as const;

export type Side = (typeof SIDES)[number];
export type PositionSide = (typeof POSITION_SIDES)[number];
export type Contract = (typeof CONTRACTS)[number];
export type OrderStatus = (typeof ORDER_STATUSES)[number];
export type CashFlowKind = (typeof CASH_FLOW_KINDS)[number];
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number];

/** Where a row belongs. A venue or account that a bot does not name is the empty text. */
export interface Place {
  readonly venue: string;
  readonly account: string;
}

/** An execution. `currency` is what it was paid or settled in; null where the bot does not say. */
export interface Fill extends Place {
  readonly type: 'fill';
  readonly id: string;
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly clientOrderId: string | null;
  /** Negative for a rebate. */
  readonly fee: Decimal | null;
  readonly feeCurrency: string | null;
  readonly currency: string | null;
  readonly base: string | null;
  readonly multiplier: Decimal;
  readonly contract: Contract;
  readonly positionSide: PositionSide;
  /** Profit as the venue sent it. */
  readonly realised: Decimal | null;
  /** Id of the fill that this one replaces. */
  readonly revises: string | null;
  /** Time of the trade by the bot, in ms since the epoch; null where the row's own time counts. */
  readonly time: number | null;
  /** The bot gave no id of the execution, so that one sent twice cannot be told from two. */
  readonly unverified: boolean;
}

/** Takes a fill back. */
export interface FillCancel extends Place {
  readonly type: 'fill_cancel';
  readonly id: string;
  readonly symbol: string;
  /** Id of the fill that never was. */
  readonly cancels: string;
  readonly time: number | null;
}

export interface Order extends Place {
  readonly type: 'order';
  readonly id: string;
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: Decimal;
  readonly status: OrderStatus;
  readonly orderType: string | null;
  readonly price: Decimal | null;
  readonly decisionId: string | null;
  readonly leg: string | null;
  readonly reason: string | null;
  readonly currency: string | null;
  readonly time: number | null;
}

/** A position as the venue shows it, to be compared with the fills. `quantity` is negative for a short one. */
export interface PositionReport extends Place {
  readonly type: 'position';
  readonly symbol: string;
  readonly quantity: Decimal;
  readonly averagePrice: Decimal | null;
  readonly price: Decimal | null;
  readonly value: Decimal | null;
  readonly currency: string | null;
  readonly positionSide: PositionSide;
}

export interface Equity extends Place {
  readonly type: 'equity';
  readonly value: Decimal;
  readonly currency: string | null;
}

export interface CashFlow extends Place {
  readonly type: 'cash_flow';
  readonly id: string;
  /** Negative for what leaves the account. */
  readonly amount: Decimal;
  readonly currency: string;
  readonly kind: CashFlowKind;
  readonly symbol: string | null;
  readonly fillId: string | null;
  readonly time: number | null;
}

/** A change of a holding that is no trade. `quantity` is what it adds, negative for what it takes away. */
export interface Adjustment extends Place {
  readonly type: 'adjustment';
  readonly id: string;
  readonly symbol: string;
  readonly kind: AdjustmentKind;
  readonly quantity: Decimal;
  /** New units for an old one, of a split. */
  readonly ratio: Decimal | null;
  /** What the quantity as a whole was worth, in `currency`. */
  readonly cost: Decimal | null;
  readonly currency: string | null;
  readonly time: number | null;
}

/** One unit of `base` is `value` units of `quote`. */
export interface Rate extends Place {
  readonly type: 'rate';
  readonly base: string;
  readonly quote: string;
  readonly value: Decimal;
  readonly time: number | null;
}

export interface Price extends Place {
  readonly type: 'price';
  readonly symbol: string;
  readonly value: Decimal;
  readonly currency: string | null;
}

export type LedgerRow = Fill | FillCancel | Order | PositionReport | Equity | CashFlow | Adjustment | Rate | Price;

const TYPES: ReadonlySet<string> = new Set(LEDGER_TYPES);

/** Types of which the ledger keeps something: those above, and signals, of which nothing is ever booked. */
export const KEPT_TYPES = [...LEDGER_TYPES, 'signal'] as const;
export type KeptType = (typeof KEPT_TYPES)[number];
const KEPT: ReadonlySet<string> = new Set(KEPT_TYPES);

/** True for a metric type of which the ledger keeps something. */
export function isKeptType(type: string): type is KeptType {
  return KEPT.has(type);
}

/** True for a metric type of which the ledger takes rows. */
export function isLedgerType(type: string): type is LedgerType {
  return TYPES.has(type);
}

/** A number of JSON by its digits, which a float may not hold. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;
const parseWith: (text: string, reviver: Reviver) => unknown = JSON.parse;

/** A number with so many digits, or an exponent, that the float may print as another number than was written. */
const LONG_NUMBER = /[:,[]\s*-?(?:[\d.]{16,}|[\d.]+[eE])/;

/**
 * Parses the JSON text of a row. Where a float might lose digits, each number comes as NumberText; elsewhere a float of at
 * most 15 digits prints as it was written.
 */
export function parseExactly(text: string): unknown {
  return LONG_NUMBER.test(text) ? parseWithDigits(text) : JSON.parse(text);
}

/** Parses JSON text; each number comes as NumberText. */
export function parseWithDigits(text: string): unknown {
  return parseWith(text, (_, value, context) => {
    if (typeof value !== 'number') return value;
    if (context?.source === undefined)
      throw new Error('this Node does not tell the text of numbers; the host needs a later one');
    return new NumberText(context.source);
  });
}

/** The field's digits: of a number as it was written, or of a text; undefined for anything else. */
export function digitsOf(object: object, key: string): string | undefined {
  const value = ownValue(object, key);
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof NumberText ? value.text : undefined;
}
