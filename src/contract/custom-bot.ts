import { z } from 'zod';
import { canonicalRuntime, RUNTIME_IDS } from '../runtimes/registry.ts';
import { BotType } from './bot.ts';
import { JsonObject, Timestamp } from './common.ts';
import { CUSTOM_BOT_NAME, IMAGE_NAME, INTERPRETER_NAME, ONE_LINE, VERSION } from './limits.ts';
import { InstallSheet, Permits } from './permits.ts';

/** Canonical runtime id, the key of records, engines and images. */
export const Runtime = z.enum(RUNTIME_IDS);
export type Runtime = z.infer<typeof Runtime>;

/** One problem in a file that a person wrote. Lines and columns count from 1, columns in UTF-16 units. */
export const FileProblem = z.object({
  file: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  /** Description of the problem. */
  message: z.string(),
  /** The next step for its author. */
  hint: z.string(),
});
export type FileProblem = z.infer<typeof FileProblem>;

/** Label of `metadata.complexity`. */
export const Complexity = z.enum(['beginner', 'intermediate', 'advanced']);

const label = z.string().min(1, 'a label must not be empty').max(100, 'a label has at most 100 characters');
const filePath = z.string().min(1, 'the path is empty').max(240, 'the path has more than 240 characters');

/** `metadata` of a custom bot: labels; other keys are kept. */
export const BotMetadata = z.looseObject({
  categories: z.array(label).max(10, 'at most 10 categories').optional(),
  tags: z.array(label).max(20, 'at most 20 tags').optional(),
  instruments: z.array(label).max(20, 'at most 20 instruments').optional(),
  exchanges: z.array(label).max(20, 'at most 20 exchanges').optional(),
  complexity: Complexity.optional(),
});
export type BotMetadata = z.infer<typeof BotMetadata>;

/** Paths of the programs inside the package; for a JVM archive with a main class `<jar>:<MainClass>`. */
export const Entrypoints = z.looseObject({ bot: filePath, query: filePath.optional() });
export type Entrypoints = z.infer<typeof Entrypoints>;

/**
 * The interpreter of a version whose runtime leaves it to the package. It is a name, never a path: an owner of the host says which
 * program of the machine has that name.
 */
export const NamedInterpreter = z.strictObject({
  interpreter: z
    .string()
    .regex(
      INTERPRETER_NAME,
      'the interpreter is a name of up to 64 letters, digits and "._+-" that begins with a letter or digit, such as awk',
    ),
  arguments: z
    .array(
      z
        .string()
        .min(1, 'an argument is empty')
        .max(200, 'an argument has more than 200 characters')
        .regex(ONE_LINE, 'an argument holds a line break or another control character'),
    )
    .max(16, 'at most 16 arguments')
    .optional(),
  image: z.string().regex(IMAGE_NAME, 'the image is a name such as debian:trixie-slim').optional(),
});
export type NamedInterpreter = z.infer<typeof NamedInterpreter>;

/** What a program can trade with, as its package says. */
export const DeclaredMode = z.enum(['paper', 'live']);
export type DeclaredMode = z.infer<typeof DeclaredMode>;

/**
 * The file `bot-config.yaml` (docs/writing-bots.md#bot-configyaml). Unknown keys are kept. `runtime` holds the name as
 * written; `canonicalRuntime` gives the id.
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
  /** Only with a runtime that leaves the interpreter to the package. */
  command: NamedInterpreter.optional(),
  entrypoints: Entrypoints,
  schema: z.looseObject({ bot: filePath }),
  description: z.string().max(500, 'description has more than 500 characters').optional(),
  author: z.string().max(100, 'author has more than 100 characters').optional(),
  readme: filePath.optional(),
  /**
   * The query program may be started ahead of its question: it answers through an SDK (`query.run()`), and finds path and
   * parameters in the request alone.
   */
  prewarm_queries: z.boolean().optional(),
  /** The program trades with what PLATFORM_MODE says. Without `paper` no run of it counts as paper. */
  modes: z.array(DeclaredMode).min(1).optional(),
  /** What the program asks for besides its own folders; without it nothing is known about that. */
  permits: Permits.optional(),
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

/** A version with what it asks for. */
export const DescribedVersion = CustomBotVersion.extend({ install_sheet: InstallSheet });
export type DescribedVersion = z.infer<typeof DescribedVersion>;

/** A custom bot with all its versions; type, runtime and description are those of the highest version. */
export const CustomBotSummary = z.object({
  name: z.string(),
  type: BotType,
  runtime: Runtime,
  description: z.string(),
  latest_version: z.string(),
  /** Highest first. */
  versions: z.array(z.string()),
  /** Publication time of the first version. */
  created_at: Timestamp,
  /** Publication time of the newest version. */
  updated_at: Timestamp,
  /** Instances that run any version of it. */
  bots: z.number().int(),
});
export type CustomBotSummary = z.infer<typeof CustomBotSummary>;

/** Facts about a packaged file that are known without reading it. */
export const FileFacts = z.object({ size_bytes: z.number().int(), executable: z.boolean() });
export type FileFacts = z.infer<typeof FileFacts>;

/** The files of a version by path; the first 10,000 of a larger number. */
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

/** The view of a version, which is the same for all bots of that version and never changes. */
export const VersionView = z.object({
  name: z.string(),
  version: z.string(),
  html: z
    .string()
    .nullable()
    .meta({ description: 'The document view/index.html; null for a version without a view, or with one that is none' }),
});
export type VersionView = z.infer<typeof VersionView>;

/** A file that differs between two versions. */
export const VersionChange = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed']),
  /** Null for an added file. */
  before: FileFacts.nullable(),
  /** Null for a removed file. */
  after: FileFacts.nullable(),
});
export type VersionChange = z.infer<typeof VersionChange>;

/** The differences between the files of two versions, by path; the first 10,000 of a larger number. */
export const VersionDiff = z.object({
  name: z.string(),
  from: z.string(),
  to: z.string(),
  items: z.array(VersionChange),
  /** Count of all differences. */
  total: z.number().int(),
});
export type VersionDiff = z.infer<typeof VersionDiff>;

/** A setting that differs between two versions. */
export const SettingChange = z.object({
  name: z.string(),
  kind: z.enum(['added', 'removed', 'changed']),
  what: z.array(z.string()).meta({ description: 'The differences in words; empty for an added or removed setting' }),
});
export type SettingChange = z.infer<typeof SettingChange>;

/** What publishing a package would do. Nothing of it is stored. */
export const PackagePreview = z.object({
  custom_bot: DescribedVersion.omit({ created_at: true }),
  published: z.boolean().meta({ description: 'The version is published already, with the same content' }),
  changes: VersionDiff.omit({ name: true, to: true })
    .extend({ settings: z.array(SettingChange) })
    .nullable()
    .meta({ description: 'Differences from the highest version below this one; null for the first version' }),
  warnings: z.array(FileProblem),
});
export type PackagePreview = z.infer<typeof PackagePreview>;
