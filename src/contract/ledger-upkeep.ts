import { z } from 'zod';
import { TradeMode } from './bot.ts';
import { BotId, Timestamp } from './common.ts';
import { LedgerMethod } from './ledger.ts';
import { LIMITS } from './limits.ts';

/** Asks for the conflicts of a bot, newest first. */
export const LedgerConflictsQuery = z.strictObject({
  bot_id: BotId,
  limit: z.number().int().min(1).max(LIMITS.logsMax).optional(),
  before: z.number().int().optional().meta({ description: '`older_before` of the page before' }),
});
export type LedgerConflictsQuery = z.infer<typeof LedgerConflictsQuery>;

const Row = z.object({
  seq: z.number().int(),
  at: Timestamp,
  row: z.string().meta({ description: 'JSON text of the row' }),
});

/** Two rows of one id that say different things. The first counts, and the other is in no sum. */
export const LedgerConflict = z.object({
  mode: TradeMode,
  type: z.string(),
  id: z.string(),
  symbol: z.string().nullable(),
  account: z.string().nullable(),
  /** Fields in which they differ, as rows name them. */
  fields: z.array(z.string()),
  counts: Row,
  other: Row,
});
export type LedgerConflict = z.infer<typeof LedgerConflict>;

export const LedgerConflicts = z.object({
  bot_id: BotId,
  conflicts: z.array(LedgerConflict),
  older_before: z.number().int().nullable(),
});
export type LedgerConflicts = z.infer<typeof LedgerConflicts>;

export const LedgerMethodRequest = z.strictObject({ bot_id: BotId, method: LedgerMethod });
export type LedgerMethodRequest = z.infer<typeof LedgerMethodRequest>;

export const LedgerRebuildRequest = z.strictObject({
  bot_id: BotId,
  from: z.iso.date().optional().meta({
    description: 'Adds rows that the log still has and the ledger lacks, written on this UTC day or later',
  }),
});
export type LedgerRebuildRequest = z.infer<typeof LedgerRebuildRequest>;

/** What came of making the books of a bot again. */
export const LedgerRebuilt = z.object({
  bot_id: BotId,
  method: LedgerMethod,
  rows: z.number().int().meta({ description: 'Rows that the books are made of now' }),
  added: z.number().int().meta({ description: 'Those among them that came from the log' }),
  changed_days: z.number().int().meta({ description: 'UTC days whose sums are others than before, in all modes' }),
});
export type LedgerRebuilt = z.infer<typeof LedgerRebuilt>;

export const LedgerErased = z.object({
  bot_id: BotId,
  rows: z.number().int().meta({ description: 'Rows that were erased, orders included' }),
});
export type LedgerErased = z.infer<typeof LedgerErased>;

/** Bots whose books have changed since the last event, at most once a second. */
export const LedgerChanges = z.object({
  items: z.array(
    z.object({
      bot_id: BotId,
      booked: z.boolean().meta({
        description: 'Sums, positions, orders or problems are others now; else only prices, equity, rates or signals',
      }),
    }),
  ),
  incomplete: z.boolean().meta({ description: 'Other books may have changed as well: read again what you show' }),
});
export type LedgerChanges = z.infer<typeof LedgerChanges>;
