import { z } from 'zod';
import { BotId, Timestamp } from './common.ts';
import { GUARD_KIND_NAMES, GUARD_UNITS } from './guard-choices.ts';

/** Guards: limits that the host enforces on the stored rows of a bot (docs/guards.md). */

const Limit = z
  .string()
  .regex(/^(?=.*[1-9])\d{1,15}(\.\d{1,8})?$/, 'a limit is a positive number in digits, for example "250" or "2.5"')
  .meta({ description: 'In `unit`, as digits', examples: ['250'] });

/** A new guard, or one that takes the place of the guard of the same kind and symbol. */
export const NewGuard = z.strictObject({
  bot_id: BotId,
  kind: z.enum(GUARD_KIND_NAMES),
  limit: Limit,
  unit: z.enum(GUARD_UNITS).optional().meta({ description: 'Default: the first unit that the kind takes' }),
  symbol: z.string().min(1).max(128).optional().meta({
    description:
      'Of position_limit: only this symbol, or what is traded (`BTC` of `BTC/USDT`); default: each by itself',
  }),
  action: z.enum(['alarm', 'stop']).optional().meta({ description: 'Default: stop' }),
  zone: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'Where the day begins, such as Europe/Berlin; default: UTC' }),
  fail_closed_min: z.number().int().min(1).max(1440).optional().meta({
    description: 'The guard counts as fired once it could not be computed for so many minutes; default: never',
  }),
});
export type NewGuard = z.infer<typeof NewGuard>;

/** `ok`: computed, within the limit. `waiting`: not to be computed, because rows are missing. `fired`: at or beyond the limit. */
export const GuardState = z.enum(['ok', 'waiting', 'fired']);

export const Guard = z.object({
  guard_id: z.string(),
  bot_id: BotId,
  kind: z.enum(GUARD_KIND_NAMES),
  limit: Limit,
  unit: z.enum(GUARD_UNITS),
  symbol: z.string().nullable(),
  action: z.enum(['alarm', 'stop']),
  zone: z.string(),
  fail_closed_min: z.number().int().nullable(),
  state: GuardState,
  value: z.string().nullable().meta({ description: 'Present value in `unit`; null while there is none' }),
  fired_at: Timestamp.nullable().meta({ description: 'When it fired the last time' }),
  sentence: z.string().meta({ description: 'The guard for people' }),
});
export type Guard = z.infer<typeof Guard>;

export const OfGuard = z.strictObject({ bot_id: BotId, guard_id: z.string().max(64) });
