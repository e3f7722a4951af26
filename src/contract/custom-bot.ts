import { z } from 'zod';
import { BotType } from './bot.ts';
import { JsonObject, Timestamp } from './common.ts';
import { CUSTOM_BOT_NAME, VERSION } from './limits.ts';

/** How a runtime starts a bot: with an interpreter, with a virtual machine, or as the program itself. */
export type RuntimeKind = 'python' | 'node' | 'binary' | 'jvm' | 'dotnet';

/** Every runtime by its canonical id, with the other names it is accepted under (wire.md section 2). */
export const RUNTIMES = {
  python311: { kind: 'python', aliases: ['python3.11'] },
  nodejs20: { kind: 'node', aliases: [] },
  nodejs22: { kind: 'node', aliases: [] },
  nodejs24: { kind: 'node', aliases: [] },
  gcc13: { kind: 'binary', aliases: ['cpp-gcc13'] },
  'rust-stable': { kind: 'binary', aliases: [] },
  ghc96: { kind: 'binary', aliases: [] },
  scala3: { kind: 'jvm', aliases: [] },
  java21: { kind: 'jvm', aliases: [] },
  dotnet8: { kind: 'dotnet', aliases: [] },
} as const satisfies Record<string, { kind: RuntimeKind; aliases: readonly string[] }>;

/** Canonical runtime id: what records, engines and images are keyed by. */
export const Runtime = z.enum(Object.keys(RUNTIMES) as [keyof typeof RUNTIMES, ...(keyof typeof RUNTIMES)[]]);
export type Runtime = z.infer<typeof Runtime>;

const BY_NAME: ReadonlyMap<string, Runtime> = new Map(
  Runtime.options.flatMap((id) => [id, ...RUNTIMES[id].aliases].map((name) => [name, id] as const)),
);

/** Every accepted spelling of a runtime, canonical ids and aliases. */
export const RUNTIME_NAMES: readonly string[] = [...BY_NAME.keys()];

/** The canonical id of a runtime name or alias; null for a name that is no runtime. */
export function canonicalRuntime(name: string): Runtime | null {
  return BY_NAME.get(name) ?? null;
}

/** One problem in a file that a person wrote. Lines and columns count from 1, columns in UTF-16 units. */
export const FileProblem = z.object({
  file: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  /** What is wrong. */
  message: z.string(),
  /** What to do about it. */
  hint: z.string(),
});
export type FileProblem = z.infer<typeof FileProblem>;

/** Label of `metadata.complexity` (wire.md section 2). */
export const Complexity = z.enum(['beginner', 'intermediate', 'advanced']);

const label = z.string().min(1, 'a label must not be empty').max(100, 'a label has at most 100 characters');
const filePath = z.string().min(1, 'the path is empty').max(240, 'the path has more than 240 characters');

/** `metadata` of a custom bot: labels; other keys are kept (origin.md section 2.6 for the counts). */
export const BotMetadata = z.looseObject({
  categories: z.array(label).max(10, 'at most 10 categories').optional(),
  tags: z.array(label).max(20, 'at most 20 tags').optional(),
  instruments: z.array(label).max(20, 'at most 20 instruments').optional(),
  exchanges: z.array(label).max(20, 'at most 20 exchanges').optional(),
  complexity: Complexity.optional(),
});
export type BotMetadata = z.infer<typeof BotMetadata>;

/** Paths of the programs inside the package; for a JVM archive with a main class `<jar>:<MainClass>` (seed). */
export const Entrypoints = z.looseObject({ bot: filePath, query: filePath.optional() });
export type Entrypoints = z.infer<typeof Entrypoints>;

/**
 * The file `bot-config.yaml` (seed, "Custom bot definition"; wire.md section 2). Unknown keys are kept. `runtime` holds
 * the name as written; `canonicalRuntime` gives the id.
 */
export const BotConfig = z.looseObject({
  name: z
    .string()
    .regex(CUSTOM_BOT_NAME, 'name must be 3 to 50 of a-z 0-9 and "-", and begin and end with a letter or digit'),
  version: z
    .string()
    .max(60, 'version has more than 60 characters')
    .regex(VERSION, 'version must be three numbers joined by dots'),
  type: BotType,
  runtime: z
    .string()
    .refine((name) => canonicalRuntime(name) !== null, { error: (issue) => `runtime "${issue.input}" is not known` }),
  entrypoints: Entrypoints,
  schema: z.looseObject({ bot: filePath }),
  description: z.string().max(500, 'description has more than 500 characters').optional(),
  author: z.string().max(100, 'author has more than 100 characters').optional(),
  readme: filePath.optional(),
  metadata: BotMetadata.optional(),
});
export type BotConfig = z.infer<typeof BotConfig>;

/** One published, immutable version of a custom bot, as every surface returns it. */
export const CustomBotVersion = z.object({
  name: z.string(),
  version: z.string(),
  type: BotType,
  /** Canonical id. */
  runtime: Runtime,
  description: z.string(),
  author: z.string(),
  entrypoints: z.object({ bot: z.string(), query: z.string().nullable() }),
  metadata: BotMetadata,
  /** Text of the readme file; null when the custom bot has none. */
  readme: z.string().nullable(),
  /** sha256 (hex) over the sorted manifest of the files: the identity of the content, whatever the compression. */
  hash: z.string(),
  /** Size of all files together, unpacked. */
  size_bytes: z.number().int(),
  /** Count of files. */
  files: z.number().int(),
  /** bot-config.yaml as it was read, unknown keys included. */
  config: JsonObject,
  created_at: Timestamp,
});
export type CustomBotVersion = z.infer<typeof CustomBotVersion>;

/** A custom bot with all its versions; type, runtime and description are those of the highest version. */
export const CustomBotSummary = z.object({
  name: z.string(),
  type: BotType,
  runtime: Runtime,
  description: z.string(),
  latest_version: z.string(),
  /** Highest first. */
  versions: z.array(z.string()),
  /** When the first version was published. */
  created_at: Timestamp,
  /** When the newest version was published. */
  updated_at: Timestamp,
  /** Instances that run any version of it. */
  bots: z.number().int(),
});
export type CustomBotSummary = z.infer<typeof CustomBotSummary>;

/** What is known of a file of a package without reading it. */
export const FileFacts = z.object({ size_bytes: z.number().int(), executable: z.boolean() });
export type FileFacts = z.infer<typeof FileFacts>;

/** The files of a version by path; of more than 10,000 the first ones. */
export const VersionFiles = z.object({
  name: z.string(),
  version: z.string(),
  items: z.array(FileFacts.extend({ path: z.string() })),
  /** Count of all files. */
  total: z.number().int(),
});
export type VersionFiles = z.infer<typeof VersionFiles>;

/** One file of a version. */
export const VersionFileText = FileFacts.extend({
  name: z.string(),
  version: z.string(),
  path: z.string(),
  text: z.string().nullable().meta({ description: 'The file as UTF-8; null for one that is no text' }),
  truncated: z.boolean().meta({ description: 'The file goes on after the text: its first 512 KiB are shown' }),
});
export type VersionFileText = z.infer<typeof VersionFileText>;

/** A file that is not the same in two versions. */
export const VersionChange = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed']),
  /** Null for an added file. */
  before: FileFacts.nullable(),
  /** Null for a removed file. */
  after: FileFacts.nullable(),
});
export type VersionChange = z.infer<typeof VersionChange>;

/** What is different between the files of two versions, by path; of more than 10,000 differences the first ones. */
export const VersionDiff = z.object({
  name: z.string(),
  from: z.string(),
  to: z.string(),
  items: z.array(VersionChange),
  /** Count of all differences. */
  total: z.number().int(),
});
export type VersionDiff = z.infer<typeof VersionDiff>;
