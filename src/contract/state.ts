import { z } from 'zod';
import { BotId, Timestamp } from './common.ts';

/** A persisted key: `size` is the size of its JSON text in bytes. */
export const StateKey = z.object({ key: z.string(), size: z.number().int(), modified_at: Timestamp });
export type StateKey = z.infer<typeof StateKey>;
export const StateList = z.object({
  bot_id: BotId,
  keys: z.array(StateKey),
  total_bytes: z.number().int(),
  over_quota: z.boolean(),
  left_out: z.array(z.string()).optional().meta({
    description:
      'Folders of the state that the bot has closed to the host, at most 20: not counted, and no query shows them',
  }),
});
export type StateList = z.infer<typeof StateList>;
export const StateValue = z.object({
  bot_id: BotId,
  key: z.string(),
  size: z.number().int(),
  modified_at: Timestamp,
  value: z.unknown(),
});
export type StateValue = z.infer<typeof StateValue>;
