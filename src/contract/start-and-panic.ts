import { z } from 'zod';
import { IfGeneration } from './bot.ts';
import { BotId } from './common.ts';
import { LIMITS } from './limits.ts';

/** A start of a bot. A held bot starts only for a person who names the hold that they have read. */
export const StartRequest = z.strictObject({
  bot_id: BotId,
  if_generation: IfGeneration.optional(),
  release: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'The `hold_id` of the hold that this start ends; only for a person, never with an API key' }),
});

/** Bots that a panic stops. */
export const PanicRequest = z.strictObject({
  bot_ids: z
    .array(BotId)
    .min(1)
    .max(LIMITS.panicBots)
    .optional()
    .meta({ description: 'Left out: all your bots; of an owner who is logged in: all bots of the host' }),
});

/** What a panic came to, bot by bot: one that could not be stopped keeps no other one from stopping. */
export const PanicAnswer = z.object({
  items: z.array(
    z.object({
      bot_id: BotId,
      name: z.string(),
      /** Its programs were told to end, and it is held. */
      stopped: z.boolean(),
      problem: z.string().nullable().meta({ description: 'What went wrong, also where it was stopped' }),
    }),
  ),
});
export type PanicAnswer = z.infer<typeof PanicAnswer>;
