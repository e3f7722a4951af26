import { z } from 'zod';
import { TradeMode } from './bot.ts';
import { BotId, Timestamp } from './common.ts';
import { LIMITS } from './limits.ts';

/** An exact decimal number as its digits, such as `-0.00125`, without an exponent. */
export const Digits = z.string().meta({ description: 'Exact decimal number, as digits' });

const Day = z.iso.date().meta({ description: 'UTC day, YYYY-MM-DD; counted as well' });

/** Asks for the books of a bot. */
export const LedgerQuery = z
  .strictObject({
    bot_id: BotId,
    by: z.enum(['day', 'symbol', 'account']).optional().meta({ description: 'One sum for each; left out: for all' }),
    from: Day.optional(),
    to: Day.optional(),
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
});
export type LedgerPosition = z.infer<typeof LedgerPosition>;

/** What a bot did in one mode. Positions are those of now, and the counts of all times. */
export const LedgerBook = z.object({
  mode: TradeMode,
  method: z.enum(['fifo', 'average']),
  sums: z.array(LedgerSum),
  positions: z.array(LedgerPosition),
  /** Rows that could not be booked, of which `ledger.problems` tells the reasons. */
  not_booked: z.number().int(),
  conflicts: z.number().int(),
});
export type LedgerBook = z.infer<typeof LedgerBook>;

export const Ledger = z.object({ bot_id: BotId, books: z.array(LedgerBook) });
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
  kind: z.string().nullable(),
  quantity: Digits.nullable(),
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
