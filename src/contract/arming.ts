import { z } from 'zod';
import { BotId, Timestamp } from './common.ts';

/** Seconds for which a bot can be armed. */
export const ARM_SEC = { least: 60, most: 366 * 86_400, usual: 30 * 86_400 } as const;

/**
 * Whether a person has allowed a bot to use its live secrets. `armed`: with what it has now. `expired`: the same, and its time is
 * over: the host goes on starting it, and nobody changes it or starts it by hand. `changed`: with another version, configuration or
 * permits. `loosened`: with stricter guards. `unarmed`: not at all.
 */
export const ArmingState = z.enum(['armed', 'expired', 'changed', 'loosened', 'unarmed']);
export type ArmingState = z.infer<typeof ArmingState>;

/** The arming of a bot that uses live secrets, as every surface returns it. */
export const BotArming = z.object({
  state: ArmingState,
  version: z.string().nullable().meta({ description: 'The version that was armed' }),
  armed_at: Timestamp.nullable(),
  armed_by: z.string().nullable().meta({ description: 'The person; `the upgrade` for bots from before armings' }),
  until: Timestamp.nullable(),
  stop_at_expiry: z.boolean().meta({ description: 'The host stops the bot when the arming ends' }),
  for_review: z.boolean().meta({ description: 'The upgrade has armed it, and no person has looked at it since' }),
  message: z.string().meta({ description: 'The state in words' }),
});
export type BotArming = z.infer<typeof BotArming>;

/** Allows a bot to use its live secrets, with the version, configuration, permits and guards that it has now. */
export const ArmRequest = z.strictObject({
  bot_id: BotId,
  for_sec: z
    .number()
    .int()
    .min(ARM_SEC.least)
    .max(ARM_SEC.most)
    .meta({ description: 'For how many seconds', examples: [ARM_SEC.usual] }),
  stop_at_expiry: z.boolean().optional().meta({ description: 'Stop the bot when the arming ends' }),
  if_generation: z.number().int().min(1).meta({
    description: 'The generation of the bot that the person has looked at; STALE_GENERATION if it is another',
  }),
});
export type ArmRequest = z.infer<typeof ArmRequest>;
