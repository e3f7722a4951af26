import { z } from 'zod';
import { TEMPLATE_NAMES } from '../runtimes/registry.ts';
import { JsonObject, Timestamp } from './common.ts';
import { FileProblem } from './custom-bot.ts';

/** Templates of new projects; each is a folder of resources/templates. */
export const Template = z.enum(TEMPLATE_NAMES);
export type Template = z.infer<typeof Template>;

/** A project folder on the machine of the host that its user has opened. */
export const Project = z.object({
  project_id: z.string(),
  name: z.string().meta({ description: 'Name of the folder' }),
  dir: z.string().meta({ description: 'Absolute path on the machine of the host, links resolved' }),
  opened_at: Timestamp.meta({ description: 'When it was opened the last time' }),
  present: z.boolean().meta({ description: 'The folder is there' }),
});
export type Project = z.infer<typeof Project>;

/** Path of a file or folder in a project: relative, with `/`, and one that every operating system can store. */
export const ProjectPath = z
  .string()
  .min(1)
  .max(1000)
  .meta({ description: 'Path in the project, with "/"', examples: ['src/bot.py'] });

/** Identity of a file's content (sha256, hex); a write names the one it replaces. */
export const FileVersion = z.string().regex(/^[0-9a-f]{64}$/, 'is not a file version from the host');

/** An entry of a project folder. A link is shown and never followed. */
export const ProjectEntry = z.object({ path: z.string(), kind: z.enum(['file', 'folder', 'link']) });
export type ProjectEntry = z.infer<typeof ProjectEntry>;

/** A file as it is on the disk. */
export const ProjectFile = z.object({
  path: z.string(),
  version: z.string(),
  size_bytes: z.number().int(),
  content: z.string().nullable().meta({ description: 'null: it is no text, or too large to be shown' }),
  kind: z
    .enum(['text', 'read only', 'binary', 'too large'])
    .meta({ description: 'read only: a text that is too large to be edited' }),
});
export type ProjectFile = z.infer<typeof ProjectFile>;

/** A place where a text was found; line and column count from 1. */
export const ProjectMatch = z.object({
  path: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  length: z.number().int(),
  text: z.string().meta({ description: 'The line, cut to what surrounds the match' }),
  offset: z.number().int().meta({ description: 'Where in `text` the match begins, from 0' }),
});
export type ProjectMatch = z.infer<typeof ProjectMatch>;

/** A file that an editor has not saved yet; it replaces what is on the disk. */
export const Overlay = z.strictObject({ path: ProjectPath, content: z.string() });
export type Overlay = z.infer<typeof Overlay>;

export const ProjectCheck = z.object({
  valid: z.boolean(),
  problems: z.array(FileProblem),
  warnings: z.array(FileProblem),
});
export type ProjectCheck = z.infer<typeof ProjectCheck>;

/** A run of a project here, without publishing it. A project has one at a time. */
export const ProjectRun = z.object({
  run_id: z.string(),
  status: z.enum(['running', 'stopping', 'ended']),
  started_at: Timestamp,
  ended_at: Timestamp.nullable(),
  exit_code: z.number().int().nullable(),
  stopped: z.boolean().meta({ description: 'It ended because a person asked for it' }),
});
export type ProjectRun = z.infer<typeof ProjectRun>;

/** One line of a run's output: a log line, or a metric. */
export const RunLine = z.object({
  seq: z.number().int(),
  ts: Timestamp,
  level: z.enum(['debug', 'info', 'warn', 'error']),
  text: z.string(),
  metric: z.object({ type: z.string(), data: JsonObject }).nullable(),
});
export type RunLine = z.infer<typeof RunLine>;

/** Progress of publishing. `fraction` is 0 to 1; null where it is unknown. */
export const PublishStep = z.object({ text: z.string(), fraction: z.number().nullable() });
export type PublishStep = z.infer<typeof PublishStep>;

/**
 * An event of an open project. The first event is `state`; after it, and after every later `state`, a reader loads the tree and
 * the open files again, because it may have missed something.
 */
export const ProjectEvent = z.union([
  z.object({ state: z.object({ run: ProjectRun.nullable(), watching: z.boolean() }) }),
  z.object({ changed: z.array(z.string()).meta({ description: 'Paths that were written, made or removed' }) }),
  z.object({ run: ProjectRun }),
  z.object({ lines: z.array(RunLine), run_id: z.string() }),
  z.object({ publish: PublishStep }),
]);
export type ProjectEvent = z.infer<typeof ProjectEvent>;

/** A file that is not the same in the project and in a published version. */
export const ProjectChange = z.object({ path: z.string(), change: z.enum(['added', 'removed', 'changed']) });
export type ProjectChange = z.infer<typeof ProjectChange>;

/** The fields of an instance.json, nested or flat; null for missing ones. Not validated. */
export const ProjectInstance = z.object({
  name: z.string().nullable(),
  schedule: z.string().nullable(),
  timezone: z.string().nullable(),
  enabled: z.boolean().nullable(),
  options: JsonObject,
  config: JsonObject,
});
export type ProjectInstance = z.infer<typeof ProjectInstance>;
