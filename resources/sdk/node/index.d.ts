/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

/** The level of a log line; `info` where it is left out. `warning` is warn, `critical` and `fatal` are error. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'warning' | 'error' | 'critical' | 'fatal';

/** The bot's id and configuration, by name and as a pair. `botId` is the same as `id`. */
export type Parsed<C> = [id: string, config: C] & { readonly id: string; readonly botId: string; readonly config: C };

/**
 * Reads BOT_ID and BOT_CONFIG: `const { id, config } = parse()`. Throws when they are missing or the configuration is not a
 * JSON object.
 */
export function parse<C = Record<string, unknown>>(): Parsed<C>;

/**
 * Emits a metric: `data` is shown and charted under its type. A `timestamp` in data (ms since 1970, or RFC 3339) is its time,
 * else it is now.
 */
export function metric(type: string, data?: object): void;

/** Why the host ends a bot. `any` stands for those without a handler of their own. */
export type StopReason = 'requested' | 'guard' | 'panic' | 'update' | 'shutdown';

/**
 * Registers a function that runs before the host ends this bot: it is called once, with the reason, may write state, and has 10
 * seconds before SIGTERM. No query and no other program can call it. Throws a RangeError for another reason.
 */
export function onStop(reason: StopReason | 'any', handler: (reason: StopReason) => void | Promise<void>): void;
/** The name of onStop() that is the same in the SDKs of all languages. */
export { onStop as on_stop };

/** A number: its digits as text, a bigint, or a number. A number is written by its shortest text; text keeps every digit. */
export type Decimal = string | number | bigint;
/** An id as text or a whole number. */
export type Id = string | number | bigint;
/** A moment: ISO text (UTC where it has no zone), a Date, or seconds or milliseconds since 1970. */
export type Time = string | number | Date;
export type Side = 'BUY' | 'SELL';
export type PositionSide = 'net' | 'long' | 'short';

/** Any row may say where it belongs, and have fields of its own. */
export interface Row {
  venue?: string | null;
  account?: string | null;
  timestamp?: string | number | null;
  [field: string]: unknown;
}
export interface Order extends Row {
  client_order_id: Id;
  symbol: string;
  side: Side;
  quantity: Decimal;
  status: 'new' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected' | 'expired';
  type?: string | null;
  price?: Decimal | null;
  decision_id?: Id | null;
  leg?: Id | null;
  reason?: string | null;
  currency?: string | null;
  time?: Time | null;
}
export interface Fill extends Row {
  fill_id: Id;
  symbol: string;
  side: Side;
  quantity: Decimal;
  price: Decimal;
  client_order_id?: Id | null;
  fee?: Decimal | null;
  fee_currency?: string | null;
  currency?: string | null;
  base?: string | null;
  multiplier?: Decimal | null;
  contract?: 'spot' | 'linear' | 'inverse' | 'option' | null;
  position_side?: PositionSide | null;
  realised?: Decimal | null;
  revises?: Id | null;
  cancelled?: false | null;
  time?: Time | null;
}
/** Takes the fill `revises` back. */
export interface CancelledFill extends Row {
  fill_id: Id;
  symbol: string;
  revises: Id;
  cancelled: true;
  time?: Time | null;
}
export interface Position extends Row {
  symbol: string;
  quantity: Decimal;
  average_price?: Decimal | null;
  price?: Decimal | null;
  value?: Decimal | null;
  currency?: string | null;
  position_side?: PositionSide | null;
}
export interface Equity extends Row {
  value: Decimal;
  currency?: string | null;
}
export interface CashFlow extends Row {
  flow_id: Id;
  amount: Decimal;
  currency: string;
  kind: 'deposit' | 'withdrawal' | 'funding' | 'interest' | 'dividend' | 'fee' | 'rebate' | 'borrow' | 'tax' | 'other';
  symbol?: string | null;
  fill_id?: Id | null;
  time?: Time | null;
}
export interface Adjustment extends Row {
  adjustment_id: Id;
  symbol: string;
  kind: 'opening' | 'split' | 'transfer' | 'reward' | 'dust' | 'conversion' | 'expiry' | 'exercise' | 'assignment';
  quantity: Decimal;
  /** New units for an old one; a split needs it. */
  ratio?: Decimal | null;
  cost?: Decimal | null;
  currency?: string | null;
  time?: Time | null;
}
export interface Rate extends Row {
  base: string;
  quote: string;
  value: Decimal;
  time?: Time | null;
}
export interface Price extends Row {
  symbol: string;
  value: Decimal;
  currency?: string | null;
}
export interface Signal extends Row {
  type: Side;
  symbol: string;
  price?: Decimal | null;
  confidence?: Decimal | null;
  reason?: string | null;
  currency?: string | null;
}

/** Reports an order and its status. This and the next eight throw a TypeError that names a missing or wrong field. */
export function order(fields: Order): void;
/** Reports a trade, corrects one (`revises`), or takes one back (`revises` and `cancelled: true`). */
export function fill(fields: Fill | CancelledFill): void;
/** Reports what is held of a symbol; `quantity` is negative for a short position. */
export function position(fields: Position): void;
/** Reports what the account is worth. */
export function equity(fields: Equity): void;
/** Reports money that came (positive) or went (negative). */
export function cashFlow(fields: CashFlow): void;
/** The name of cashFlow() that is the same in the SDKs of all languages. */
export function cash_flow(fields: CashFlow): void;
/** Reports a change of a holding that is no trade. */
export function adjustment(fields: Adjustment): void;
/** Reports that one unit of `base` is worth `value` units of `quote`. */
export function rate(fields: Rate): void;
/** Reports the price of a symbol. */
export function price(fields: Price): void;
/** Reports a decision to buy or sell, which charts show as a mark. */
export function signal(fields: Signal): void;

/** Writes a log line; without a level it is info. */
export function log(message: unknown, level?: LogLevel): void;
/**
 * Writes a log line with fields: the keys of `data`. `level`, `message` and `_metric` in data are left out; a `timestamp` is
 * the time of the line.
 */
export function log(message: unknown, data: object | null | undefined, level?: LogLevel): void;

/** Reports that a scheduled run went well; `data` becomes part of its result. */
export function success(message: unknown, data?: unknown): void;
/** Reports a failure, with `data` in its result, and ends the process with exit code 1. */
export function error(message: unknown, data?: unknown): never;
/** Writes a result of the bot's own: any value that JSON can hold. */
export function result(data: unknown): void;

/** Waits for a number of milliseconds. Rejects with a RangeError for a negative time. */
export function sleep(ms: number): Promise<void>;

/** The time now in milliseconds since 1970. */
export function currentTimestamp(): number;
/** The name of currentTimestamp() that is the same in the SDKs of all languages. */
export function current_timestamp(): number;

/**
 * JSON values that outlive runs, by key: 1 to 128 bytes without / and \\, not "." or "..". Invalid keys throw a
 * RangeError.
 */
export namespace state {
  /** Thrown where a query would change state. */
  class ReadOnlyStateError extends Error {}
  /** The value under a key; `fallback` if it is missing. */
  function get<T = unknown>(key: string): T | undefined;
  function get<T = unknown>(key: string, fallback: T): T;
  /** Stores a value of 10 MiB of JSON at most. Not from a query: ReadOnlyStateError. */
  function set(key: string, value: unknown): void;
  /** Removes a key; true when it was there. Not from a query: ReadOnlyStateError. */
  function remove(key: string): boolean;

  /** Another name of remove(). */
  export { remove as delete };

  /** Whether there is a value under a key. */
  function exists(key: string): boolean;
  /** Removes all keys, one after the other. Not from a query: ReadOnlyStateError. */
  function clear(): void;
  /** All keys, sorted by their bytes in UTF-8. */
  function list(): string[];

  export { clear, exists, get, list, ReadOnlyStateError, remove, set };
}

/** The request that a query handler gets. */
export type QueryRequest = query.Request;

/** Questions from outside. Handlers only read. */
export namespace query {
  interface Request {
    /** Such as `/status`. */
    readonly path: string;
    /** All parameters by name, as texts. */
    readonly params: Record<string, string>;
    /** A parameter as text; `fallback` (null unless given) when it was not sent. */
    get(name: string): string | null;
    get(name: string, fallback: string): string;
    /** Whether a parameter was sent. */
    has(name: string): boolean;
  }
  /** The answer of a handler: a value that JSON can hold, or a promise of one. */
  type Handler = (request: Request) => unknown;
  /** Registers a function for a path such as `/status`. */
  function handler(path: string, handle: Handler): void;
  /** Serves queries until SIGTERM, or answers the one query of a query run and ends the process. */
  function run(): Promise<void>;
  /** The bot's configuration, an object. */
  function getConfig<C = Record<string, unknown>>(): C;
  /** The name of getConfig() that is the same in the SDKs of all languages. */
  function get_config<C = Record<string, unknown>>(): C;
  /** The parameters of the query that is answered now; none outside of a handler. */
  function getParams(): Record<string, string>;
  /** The name of getParams() that is the same in the SDKs of all languages. */
  function get_params(): Record<string, string>;
  /** Whether this program was started to answer one query, and ends with it. */
  function isQueryMode(): boolean;
  /** The name of isQueryMode() that is the same in the SDKs of all languages. */
  function is_query_mode(): boolean;
  /** The error of a handler that writes state. */
  export const ReadOnlyStateError: typeof state.ReadOnlyStateError;
}
