import { z } from 'zod';
import { Timestamp } from './common.ts';
import { ENGINE_OPTIONS } from './engine-choices.ts';
import { IsolationLevel } from './isolation.ts';

const OWNERS = 'Told to an owner who is logged in; else null';

/** An engine and how far it isolates bots, in plain words. */
export const EngineInfo = z.object({
  name: z.string(),
  title: z.string().meta({ description: 'What people call it', examples: ['Local processes'] }),
  about: z.string().meta({ description: 'How it runs bots, as a sentence' }),
  summary: z.string().meta({ description: 'How it runs one bot, in a few words' }),
  remedy: z
    .string()
    .nullable()
    .meta({ description: 'What a person does where it does not answer; null: nothing helps', examples: ['Start it'] }),
  options: z.array(z.enum(ENGINE_OPTIONS)).meta({
    description: 'The options that it can hold a bot to, of those that not every engine can',
  }),
  images: z.boolean().meta({ description: 'It runs bots in images, which it fetches when they are missing' }),
  level: IsolationLevel.meta({ description: 'How far every program that it starts is isolated' }),
  available: z.boolean(),
  reason: z.string().nullable(),
  address: z
    .string()
    .nullable()
    .meta({
      description: `Where the host reaches it, or looks for it where one address is named; null for local processes. ${OWNERS}`,
      examples: ['unix:///var/run/engine.sock'],
    }),
  isolation: z.array(z.object({ aspect: z.string(), level: z.enum(['full', 'partial', 'none']), note: z.string() })),
});
export type EngineInfo = z.infer<typeof EngineInfo>;

/** The image in which the bots of a runtime run, where containers run them. */
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

/** Query programs of scheduled and stopped bots, started before a question arrives. */
export const QueryPoolInfo = z.object({
  waiting: z.number().int().meta({ description: 'Programs that wait for a question' }),
  limit: z.number().int(),
  memory_bytes: z.number(),
  memory_limit_bytes: z.number(),
});
export type QueryPoolInfo = z.infer<typeof QueryPoolInfo>;

/** A folder from which the data folder of a host was copied or moved. */
export const FormerPlace = z.object({
  path: z.string(),
  unseen: z
    .string()
    .nullable()
    .meta({ description: 'Why the host cannot tell whether that folder is in use, in words; null where it can' }),
});

export type FormerPlace = z.infer<typeof FormerPlace>;

/** Result of comparing the place of the data folder with the recorded one. */
export const PlaceInfo = z.object({
  state: z.enum(['here', 'copied', 'unproved']).meta({
    description:
      '`copied`: the folder was copied or moved here, and no bot starts before a person says that it has moved. `unproved`: this place has no identity that stays, so a copy goes unnoticed',
  }),
  identity: z
    .string()
    .nullable()
    .meta({ description: `Name given by --host-identity. ${OWNERS}` }),
  note: z
    .string()
    .nullable()
    .meta({ description: `Why the place cannot be proved, in words. ${OWNERS}` }),
  from: z
    .array(FormerPlace)
    .nullable()
    .meta({
      description: `Where the folder has been since a person last confirmed its place, the first place first, when it is \`copied\`; empty where only another machine, or another folder at this path, is left. ${OWNERS}`,
    }),
  since: Timestamp.nullable().meta({ description: 'When a host found out that it is `copied`' }),
  waiting: z
    .number()
    .int()
    .nullable()
    .meta({ description: `Bots of all users that wait for that step. ${OWNERS}` }),
});
export type PlaceInfo = z.infer<typeof PlaceInfo>;

/** The host and its health; only an owner in person learns more about the machine below it. */
export const HostInfo = z.object({
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  pid: z.number().int().nullable().meta({ description: OWNERS }),
  url: z.string(),
  data_dir: z.string().nullable().meta({ description: OWNERS }),
  home_dir: z
    .string()
    .nullable()
    .meta({ description: `Home folder of the user who runs the host. ${OWNERS}` }),
  command: z
    .array(z.string())
    .nullable()
    .meta({ description: `What starts this command line there, with absolute paths. ${OWNERS}` }),
  feed_url: z.string(),
  started_at: Timestamp,
  engines: z.array(EngineInfo),
  least_isolation: IsolationLevel.meta({ description: 'No bot is deployed, changed or started with less' }),
  query_pool: QueryPoolInfo,
  place: PlaceInfo,
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
