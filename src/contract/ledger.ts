import { z } from 'zod';
import { Bot, TradeMode } from './bot.ts';
import { BotId, Timestamp } from './common.ts';
import { LIMITS } from './limits.ts';

/** An exact decimal number as its digits, such as `-0.00125`, without an exponent. */
export const Digits = z.string().meta({ description: 'Exact decimal number, as digits' });

/** What a sale closes: the oldest units (first in, first out), or units of all lots at their average cost. */
export const LedgerMethod = z.enum(['fifo', 'average']);
export type LedgerMethod = z.infer<typeof LedgerMethod>;

/** A day of the time zone that is asked for. */
export const LedgerDay = z.iso.date().meta({ description: 'Day of `zone`, YYYY-MM-DD; counted as well' });

/** The time zone whose days are counted. */
export const LedgerZone = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/, 'must be the name of a time zone, such as Europe/Berlin')
  .meta({
    description: 'Time zone whose days are counted, a name of the tz database such as Europe/Berlin; UTC without it',
  });

/** A currency or asset into which sums are converted, by `rate` rows alone. */
export const InCurrency = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,32}$/, 'must have 1 to 32 letters, digits, or signs of . _ : -')
  .meta({ description: 'Convert sums into this currency, by the newest rates that bots wrote in the same mode' });

/** A rate that a bot wrote: one unit of `base` is worth `value` of `quote`. */
export const LedgerRate = z.object({
  mode: TradeMode,
  bot_id: BotId,
  base: z.string(),
  quote: z.string(),
  value: Digits,
  at: Timestamp,
});
export type LedgerRate = z.infer<typeof LedgerRate>;

/** By what sums were converted. Those in a currency of `missing`, or in none, are left as they are. */
export const LedgerConversion = z.object({
  currency: z.string(),
  rates: z.array(LedgerRate).meta({ description: 'The newest of each currency that was converted' }),
  missing: z.array(z.string()).meta({ description: 'Currencies without a rate' }),
});
export type LedgerConversion = z.infer<typeof LedgerConversion>;

/** Asks for the books of a bot. */
export const LedgerQuery = z
  .strictObject({
    bot_id: BotId,
    by: z.enum(['day', 'symbol', 'account']).optional().meta({ description: 'One sum for each; left out: for all' }),
    from: LedgerDay.optional(),
    to: LedgerDay.optional(),
    zone: LedgerZone.optional(),
    in: InCurrency.optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['from'],
    error: 'must not be after `to`',
  });
export type LedgerQuery = z.infer<typeof LedgerQuery>;

/**
 * What was earned and paid in one currency, which no other is added to. Where the rows name none it is null, the sum is of one
 * symbol, and `net` is null, because fees may be in another one. `net` is realised profit less fees, with every flow of cash
 * but deposits and withdrawals.
 */
export const LedgerSum = z.object({
  day: z.string().nullable(),
  symbol: z.string().nullable(),
  venue: z.string().nullable(),
  account: z.string().nullable(),
  currency: z.string().nullable(),
  realised: Digits.meta({ description: 'Realised profit, before fees' }),
  fees: Digits.meta({ description: 'What fills cost; negative for rebates' }),
  flows: z.record(z.string(), Digits).meta({ description: 'Cash by kind; negative for what left' }),
  net: Digits.nullable(),
});
export type LedgerSum = z.infer<typeof LedgerSum>;

/**
 * Units that are held, whatever the venue; negative for a short position. Cost and average are null where the cost of a unit
 * is unknown, the average also until a trade has told what the units are.
 */
export const LedgerPosition = z.object({
  account: z.string().nullable(),
  symbol: z.string(),
  side: z.enum(['net', 'long', 'short']),
  contract: z.enum(['spot', 'linear', 'inverse', 'option']),
  quantity: Digits,
  multiplier: Digits,
  currency: z.string().nullable(),
  average_price: Digits.nullable(),
  cost: Digits.nullable(),
  since: Timestamp.nullable(),
  price: Digits.nullable().meta({ description: 'Newest `price` of the symbol that the bot wrote' }),
  price_at: Timestamp.nullable(),
  unrealised: Digits.nullable().meta({
    description:
      'Profit if all units were sold at `price`; null without a price in the same currency, or at unknown cost',
  }),
  /** How the newest `position` that the bot wrote differs from its fills; null where it does not, or it wrote none. */
  difference: z.string().nullable(),
});
export type LedgerPosition = z.infer<typeof LedgerPosition>;

/** The newest equity that a bot wrote for an account. No two are added: accounts may overlap. */
export const LedgerEquityNow = z.object({
  venue: z.string().nullable(),
  account: z.string().nullable(),
  currency: z.string().nullable(),
  value: Digits,
  at: Timestamp,
});
export type LedgerEquityNow = z.infer<typeof LedgerEquityNow>;

/** A `position` that the bot wrote, of which its fills say that nothing is held. */
export const LedgerDifference = z.object({
  account: z.string().nullable(),
  symbol: z.string(),
  side: z.enum(['net', 'long', 'short']),
  reported: Digits,
  at: Timestamp,
});
export type LedgerDifference = z.infer<typeof LedgerDifference>;

/** What a bot did in one mode. Positions are those of now, and the counts of all times. */
export const LedgerBook = z.object({
  mode: TradeMode,
  method: LedgerMethod,
  sums: z.array(LedgerSum),
  conversion: LedgerConversion.optional().meta({ description: 'Only where `in` was asked for' }),
  positions: z.array(LedgerPosition),
  equity: z.array(LedgerEquityNow),
  differences: z.array(LedgerDifference),
  /** Rows that could not be booked, of which `ledger.problems` tells the reasons. */
  not_booked: z.number().int(),
  conflicts: z.number().int(),
});
export type LedgerBook = z.infer<typeof LedgerBook>;

/** The newest erasure of a bot's books: nothing of what it wrote before counts any more. */
export const LedgerErasure = z.object({
  at: Timestamp,
  rows: z.number().int().meta({ description: 'Rows that were erased, orders included' }),
});
export type LedgerErasure = z.infer<typeof LedgerErasure>;

export const Ledger = z.object({
  bot_id: BotId,
  books: z.array(LedgerBook),
  erased: LedgerErasure.nullable().meta({ description: 'Null for books that were never erased' }),
});
export type Ledger = z.infer<typeof Ledger>;

const page = z.number().int().min(1).max(LIMITS.logsMax).optional();

export const LedgerEntriesQuery = z.strictObject({
  bot_id: BotId,
  mode: TradeMode.optional(),
  limit: page,
  before: z
    .string()
    .regex(/^-?\d{1,16}-\d{1,16}$/, 'must be the `older_before` of an answer')
    .optional()
    .meta({ description: '`older_before` of the page before' }),
});
export type LedgerEntriesQuery = z.infer<typeof LedgerEntriesQuery>;

/** A row in its place in the order of booking, and what became of it. Fields that its type lacks are null. */
export const LedgerEntry = z.object({
  mode: TradeMode,
  seq: z.number().int(),
  at: Timestamp,
  type: z.enum(['fill', 'cash_flow', 'adjustment']),
  id: z.string(),
  venue: z.string().nullable(),
  account: z.string().nullable(),
  symbol: z.string().nullable(),
  side: z.enum(['BUY', 'SELL']).nullable(),
  /** Of a fill: the position that it changes. An adjustment names none: it changes the one that is open, a split both. */
  position_side: z.enum(['net', 'long', 'short']).nullable(),
  kind: z.string().nullable(),
  quantity: Digits.nullable(),
  /**
   * Units by which it changed what is held, negative for those that left. Of a fill a fee in the base asset is taken off, which
   * `quantity` leaves out. Null for a flow of cash, and for a row that is not booked.
   */
  moved: Digits.nullable(),
  price: Digits.nullable(),
  realised: Digits.nullable(),
  realised_currency: z.string().nullable(),
  /** The fee of a fill, or the cash of a flow. */
  charge: Digits.nullable(),
  charge_currency: z.string().nullable(),
  /** Units that it closed at no known cost, which `realised` leaves out. */
  unknown: Digits.nullable(),
  /** The bot gave no id, so that a row sent twice counts twice. */
  unverified: z.boolean(),
  /** How what the venue says differs from the books. */
  difference: z.string().nullable(),
  /** Why it is not booked. */
  problem: z.string().nullable(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const LedgerEntries = z.object({
  bot_id: BotId,
  entries: z.array(LedgerEntry),
  older_before: z.string().nullable(),
});
export type LedgerEntries = z.infer<typeof LedgerEntries>;

export const LedgerProblemsQuery = z.strictObject({ bot_id: BotId, limit: page });
export type LedgerProblemsQuery = z.infer<typeof LedgerProblemsQuery>;

/**
 * A row that is in no sum. `refused`: a field is not as the vocabulary says. `conflict`: another row has its id and says
 * something else. `not_booked`: it does not fit what is held. `waiting`: it corrects a row that has not come.
 */
export const LedgerProblem = z.object({
  mode: TradeMode,
  seq: z.number().int(),
  at: Timestamp,
  type: z.string(),
  reason: z.enum(['refused', 'conflict', 'not_booked', 'waiting']),
  message: z.string(),
  row: z.string().meta({ description: 'JSON text of the row' }),
});
export type LedgerProblem = z.infer<typeof LedgerProblem>;

export const LedgerProblems = z.object({ bot_id: BotId, problems: z.array(LedgerProblem) });
export type LedgerProblems = z.infer<typeof LedgerProblems>;

const Place = { venue: z.string().nullable(), account: z.string().nullable() };
const Side = z.enum(['BUY', 'SELL']);
const OrderStatus = z.enum(['new', 'accepted', 'partially_filled', 'filled', 'cancelled', 'rejected', 'expired']);

/** Asks for the orders of a bot, newest first. */
export const LedgerOrdersQuery = LedgerEntriesQuery.extend({
  open: z.boolean().optional().meta({ description: 'Only orders that can still be filled' }),
});
export type LedgerOrdersQuery = z.infer<typeof LedgerOrdersQuery>;

/** An order by its `client_order_id`, as its newest row says it. The ledger books nothing of it: fills do that. */
export const LedgerOrder = z.object({
  mode: TradeMode,
  seq: z.number().int().meta({ description: 'Of its first row' }),
  at: Timestamp.meta({ description: 'Time of its first row' }),
  client_order_id: z.string(),
  decision_id: z.string().nullable(),
  leg: z.string().nullable(),
  ...Place,
  symbol: z.string(),
  side: Side,
  type: z.string().nullable(),
  quantity: Digits,
  price: Digits.nullable(),
  currency: z.string().nullable(),
  status: OrderStatus,
  reason: z.string().nullable(),
  /** `client_order_id` of an earlier order for the same decision, symbol, side and leg; null where there is none. */
  duplicate_of: z.string().nullable(),
  /** Each status that it had, oldest first; the newest 50 of them. */
  history: z.array(
    z.object({ seq: z.number().int(), at: Timestamp, status: OrderStatus, reason: z.string().nullable() }),
  ),
});
export type LedgerOrder = z.infer<typeof LedgerOrder>;

export const LedgerOrders = z.object({
  bot_id: BotId,
  orders: z.array(LedgerOrder),
  older_before: z.string().nullable(),
});
export type LedgerOrders = z.infer<typeof LedgerOrders>;

/** Asks for curves of equity; without `from` and `to`, all of them. */
export const LedgerEquityQuery = z
  .strictObject({
    bot_id: BotId,
    mode: TradeMode.optional(),
    from: Timestamp.optional(),
    to: Timestamp.optional(),
    points: z.number().int().min(2).max(2000).optional().meta({ description: 'At most so many of each curve (500)' }),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['from'],
    error: 'must not be after `to`',
  });
export type LedgerEquityQuery = z.infer<typeof LedgerEquityQuery>;

/** Equity over a stretch of time: the last value in it, at its time, and the lowest and highest. */
export const LedgerEquityPoint = z.object({
  at: Timestamp,
  value: Digits,
  low: Digits,
  high: Digits,
  since: Timestamp.optional().meta({
    description:
      'Only of a point at the minute of `from`, which says what the account was worth before: when it said so',
  }),
});
export type LedgerEquityPoint = z.infer<typeof LedgerEquityPoint>;

/** Equity of a bot in one mode, account and currency, oldest point first: at the minute of `from`, what it was before, if anything. */
export const LedgerEquityCurve = z.object({
  mode: TradeMode,
  ...Place,
  currency: z.string().nullable(),
  points: z.array(LedgerEquityPoint),
});
export type LedgerEquityCurve = z.infer<typeof LedgerEquityCurve>;

export const LedgerEquity = z.object({ bot_id: BotId, curves: z.array(LedgerEquityCurve) });
export type LedgerEquity = z.infer<typeof LedgerEquity>;

/** Profit of a day in one currency; `net` as in LedgerSum. Where rows name no currency, of one symbol. */
export const LedgerProfit = z.object({
  currency: z.string().nullable(),
  symbol: z.string().nullable(),
  realised: Digits,
  net: Digits.nullable(),
});

/** What a bot did in one mode, for a row of a table. Modes are never added. */
export const LedgerModeSummary = z.object({
  mode: TradeMode,
  conversion: LedgerConversion.optional().meta({ description: 'Of `today`, only where `in` was asked for' }),
  today: z
    .array(LedgerProfit)
    .meta({ description: 'Of this day in `zone`, UTC without one; empty where nothing was earned or paid' }),
  open_positions: z.number().int(),
  unrealised: z
    .array(
      z.object({
        currency: z.string().nullable(),
        symbol: z.string().nullable(),
        amount: Digits,
        complete: z.boolean(),
      }),
    )
    .meta({
      description:
        'By currency, as above; `complete` is false where `amount` leaves out a position without price or cost',
    }),
  equity: z.array(LedgerEquityNow),
  last_fill: z.object({ at: Timestamp, symbol: z.string(), side: Side, quantity: Digits, price: Digits }).nullable(),
  last_signal: z
    .object({ at: Timestamp, symbol: z.string().nullable(), side: Side.nullable(), price: Digits.nullable() })
    .nullable(),
  signals_today: z.number().int().meta({ description: 'Of this UTC day, whatever the zone' }),
  problems: z.number().int().meta({ description: 'Rows that are in no sum' }),
});
export type LedgerModeSummary = z.infer<typeof LedgerModeSummary>;

/** The books of a bot in short, one item for each mode in which it has written rows; empty for a bot that wrote none. */
export const LedgerSummary = z.array(LedgerModeSummary);
export type LedgerSummary = z.infer<typeof LedgerSummary>;

/** Asks for the books of all bots in short. */
export const LedgerSummaryQuery = z.strictObject({ in: InCurrency.optional(), zone: LedgerZone.optional() });

/** The books of all bots of a user in short. Null for a bot: its books cannot be read, of which `platform doctor` says more. */
export const LedgerSummaries = z.object({
  items: z.array(z.object({ bot_id: BotId, ledger: LedgerSummary.nullable() })),
  incomplete: z.boolean().meta({ description: 'There was no time for all bots: some are missing' }),
});
export type LedgerSummaries = z.infer<typeof LedgerSummaries>;

/** An instance with its books in short; null while they cannot be read. */
export const BotWithLedger = Bot.extend({ ledger: LedgerSummary.nullable() });
export type BotWithLedger = z.infer<typeof BotWithLedger>;
