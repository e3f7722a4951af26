import { z } from 'zod';
import { BotId, Timestamp } from './common.ts';

/** A deleted bot, which can be restored until its time is over (docs/trash.md). */
export const TrashedBot = z.object({
  bot_id: BotId,
  name: z.string().meta({ description: 'The name that it had; another bot may have it by now' }),
  type: z.string().meta({ description: '<realtime|scheduled>/<custom bot>' }),
  version: z.string(),
  deleted_at: Timestamp,
  deleted_by: z.string().meta({ description: 'The user, or the key by its name' }),
  in_person: z.boolean().meta({ description: 'True if no key deleted it' }),
  restorable_until: Timestamp.meta({ description: 'Removed for good soon after that' }),
});
export type TrashedBot = z.infer<typeof TrashedBot>;
