import { z } from 'zod';
import { BotId, Timestamp } from './common.ts';

/** Resources that one program of a bot uses; sums count from its start. */
export const ProgramStats = z.object({
  role: z.enum(['bot', 'query']).meta({ description: 'The bot itself, or its query program' }),
  run_id: z.string(),
  started_at: Timestamp,
  cpu_ms: z.number().meta({ description: 'Processor time used so far' }),
  memory_bytes: z.number().int(),
  processes: z.number().int(),
  network: z
    .object({ received_bytes: z.number().int(), sent_bytes: z.number().int() })
    .nullable()
    .meta({ description: 'Null where the program shares the network of the machine' }),
});
export type ProgramStats = z.infer<typeof ProgramStats>;

/** Resources that a bot uses now; `programs` is empty while nothing of it runs. */
export const BotStats = z.object({
  bot_id: BotId,
  engine: z.string(),
  at: Timestamp,
  restarts: z.number().int(),
  programs: z.array(ProgramStats),
});
export type BotStats = z.infer<typeof BotStats>;
