import { z } from 'zod';
import { BotId, JsonObject } from './common.ts';
import { LIMITS } from './limits.ts';

/** Body of POST /bot/<bot_id>/query (docs/contract/queries.md#endpoint). `query_path` is accepted for `path`. */
export const QueryRequest = z.strictObject({
  bot_id: BotId,
  path: z.string().max(2048).optional().meta({ description: 'Handler path such as /status' }),
  query_path: z.string().max(2048).optional(),
  params: JsonObject.optional(),
  timeout_sec: z.number().positive().max(LIMITS.queryTimeoutMaxSec).optional(),
});
export type QueryRequest = z.infer<typeof QueryRequest>;

/** Answer of a query inside the host; on HTTP the body is `result` alone and the time a header. */
export const QueryAnswer = z.object({
  result: z.unknown(),
  duration_ms: z.number(),
  mode: z.enum(['server', 'run']),
  warm: z.boolean().optional().meta({ description: 'Answered by a program that was started before the query came' }),
});
export type QueryAnswer = z.infer<typeof QueryAnswer>;
