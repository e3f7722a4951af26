import { z } from 'zod';
import { Timestamp } from './common.ts';

/** What an engine is and how far it isolates bots, in plain words. */
export const EngineInfo = z.object({
  name: z.string(),
  available: z.boolean(),
  reason: z.string().nullable(),
  isolation: z.array(z.object({ aspect: z.string(), level: z.enum(['full', 'partial', 'none']), note: z.string() })),
});
export type EngineInfo = z.infer<typeof EngineInfo>;

/** The image in which the bots of a runtime run, where containers run them (wire.md section 2). */
export const ImageInfo = z.object({
  runtime: z.string(),
  image: z.string(),
  chosen: z.boolean().meta({ description: 'Named in the settings; else the default of the runtime' }),
  present: z.boolean(),
  size_bytes: z.number().int().nullable(),
  problem: z
    .object({ message: z.string(), hint: z.string().nullable() })
    .nullable()
    .meta({ description: 'Why bots cannot run in it, or why it could not be fetched again, as far as it was tried' }),
  pull: z
    .object({
      text: z.string().meta({ examples: ['12 of 45 MB, 3 of 5 layers'] }),
      layers: z.array(
        z.object({
          id: z.string(),
          status: z.string(),
          current: z.number().int(),
          total: z.number().int().nullable(),
        }),
      ),
    })
    .nullable()
    .meta({ description: 'Present while it is being fetched. Bytes' }),
});
export type ImageInfo = z.infer<typeof ImageInfo>;

/** Query programs of scheduled and stopped bots that are started before their question is known. */
export const QueryPoolInfo = z.object({
  waiting: z.number().int().meta({ description: 'Programs that wait for a question' }),
  limit: z.number().int(),
  memory_bytes: z.number(),
  memory_limit_bytes: z.number(),
});
export type QueryPoolInfo = z.infer<typeof QueryPoolInfo>;

export const HostInfo = z.object({
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  pid: z.number().int(),
  url: z.string(),
  data_dir: z.string(),
  home_dir: z.string().meta({ description: 'Home folder of the user who runs the host' }),
  command: z.array(z.string()).meta({ description: 'What starts this command line there, with absolute paths' }),
  feed_url: z.string(),
  started_at: Timestamp,
  engines: z.array(EngineInfo),
  query_pool: QueryPoolInfo,
  bots: z.record(z.string(), z.number().int()).meta({ description: "Count of the caller's bots by status" }),
});
export type HostInfo = z.infer<typeof HostInfo>;

/** The 0600 file `host.json` in the data folder: where the host is and how the local owner reaches it. */
export const Discovery = z.object({
  url: z.string(),
  port: z.number().int(),
  pid: z.number().int(),
  started_at: Timestamp,
  version: z.string(),
  token: z.string(),
});
export type Discovery = z.infer<typeof Discovery>;
