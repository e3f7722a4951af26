import { z } from 'zod';
import { BotChange, BotEvent, RunTrigger } from './bot.ts';
import { Timestamp } from './common.ts';

/** The caller who asked for something. */
export const BotActor = z.object({
  /** Proof of identity that the caller gave: `api_key`, `session` or `local`. */
  method: z.string(),
  key_id: z.string().nullable(),
  /** Name of the key; null without a key, and for a deleted one. */
  key: z.string().nullable(),
  /** Name that the client gives itself (User-Agent). */
  client: z.string().nullable(),
});
export type BotActor = z.infer<typeof BotActor>;

/** A change of a bot, with the caller who asked for it. */
export const BotChangeBy = z.object({
  at: Timestamp,
  /** The operation, such as `bots.update`, or `mcp bot_update` of an assistant. */
  operation: z.string(),
  by: BotActor,
  /** Differences made by an update; empty for every other operation. */
  changes: z.array(BotChange),
});
export type BotChangeBy = z.infer<typeof BotChangeBy>;

/** An event of a bot with the person or key that caused it. */
export const BotEventBy = BotEvent.extend({
  trigger: RunTrigger.nullable().meta({ description: 'What started its run; null without one that is still known' }),
  requested: z.boolean().meta({ description: 'A person or key asked for it; false: the host or the bot did it' }),
  by: BotActor.nullable().meta({
    description: 'Who asked; null where the host acted by itself, or the audit trail no longer tells',
  }),
});
export type BotEventBy = z.infer<typeof BotEventBy>;
