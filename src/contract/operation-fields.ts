import { z } from 'zod';
import { IfGeneration } from './bot.ts';
import { BotId } from './common.ts';
import { LIMITS } from './limits.ts';

/** Fields and answers that many rows of the operation table share. */

/** Input of an operation that takes no fields. */
export const none = z.strictObject({});
export const ofBot = z.strictObject({ bot_id: BotId });
/** Input of a change of one bot. */
export const ofBotChange = z.strictObject({ bot_id: BotId, if_generation: IfGeneration.optional() });
export const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });
export const done = z.object({ ok: z.literal(true) });
/** Largest number of items in one answer. */
export const page = { limit: z.number().int().min(1).max(LIMITS.logsMax).optional() };
export const NO_BOT = ['BOT_NOT_FOUND'] as const;
