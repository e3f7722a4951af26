import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BotConfig, FileProblem, Runtime } from '../contract/custom-bot.ts';
import { PlatformError } from '../contract/errors.ts';
import { BOT_CONFIG_FILE, namedFiles, readBotConfig } from '../packaging/bot-config.ts';
import { readBotSchema } from '../packaging/bot-schema.ts';
import type { SchemaObject } from '../packaging/schema-walk.ts';
import { descriptorOf } from '../runtimes/descriptors.ts';
import { canonicalRuntime } from '../runtimes/registry.ts';
import { parseEntrypoint } from '../shared/parse-entrypoint.ts';

/** A project that was read: its content, and all its problems. */
export interface ProjectReading {
  readonly dir: string;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  /** Present only without problems. */
  readonly project: Project | null;
}

export interface Project {
  readonly dir: string;
  readonly config: BotConfig;
  readonly runtime: Runtime;
  readonly schema: SchemaObject;
  /** Files that bot-config.yaml names. */
  readonly named: readonly string[];
}

/** The files of a project by their paths: from a folder, with an editor's unsaved texts in place of some. */
export interface ProjectSource {
  /** Absolute path of the folder. */
  readonly dir: string;
  /** Text of a file; null when there is none. */
  read(path: string): Promise<string | null>;
  exists(path: string): boolean;
  /** The program that builds a project with a Makefile, as its user types it. */
  readonly make: string;
}

/** The files of a project as they are in its folder. */
export function folderSource(dir: string, make = 'make'): ProjectSource {
  const exists = (path: string): boolean => existsSync(join(dir, path));
  const read = async (path: string): Promise<string | null> =>
    exists(path) ? readFile(join(dir, path), 'utf8') : null;
  return { dir, make, exists, read };
}

/** Returns advice to build a compiled entry, with the command where the project has a Makefile. */
function buildHint(source: ProjectSource): string {
  return source.exists('Makefile')
    ? `Build it first: \`${source.make}\`. The package holds the binary, not the source.`
    : 'Build it first: the package holds the binary, not the source.';
}

/** Missing files of the entries; a compiled one must be built first. */
function missingEntries(
  source: ProjectSource,
  config: BotConfig,
  runtime: Runtime,
  locate: (path: readonly string[]) => object,
) {
  const compiled = descriptorOf(runtime).interpreter === null;
  return (['bot', 'query'] as const).flatMap((role): FileProblem[] => {
    const entry = config.entrypoints[role];
    if (entry === undefined) return [];
    const { file } = parseEntrypoint(entry);
    if (source.exists(file)) return [];
    const place = { line: 1, column: 1, ...locate(['entrypoints', role]) };
    return [
      {
        file: BOT_CONFIG_FILE,
        line: place.line,
        column: place.column,
        message: `entrypoints.${role}: ${file} does not exist`,
        hint: compiled ? buildHint(source) : 'Create it or correct the path.',
      },
    ];
  });
}

/** Reads and checks a project; null when it has no bot-config.yaml. */
export async function readProjectFiles(source: ProjectSource): Promise<ProjectReading | null> {
  const { dir } = source;
  const text = await source.read(BOT_CONFIG_FILE);
  if (text === null) return null;
  const reading = readBotConfig(text);
  const { config } = reading;
  if (config === undefined) return { dir, problems: reading.problems, warnings: reading.warnings, project: null };
  const runtime = canonicalRuntime(config.runtime);
  if (runtime === null) throw new Error(`the runtime ${config.runtime} was let through`);
  const schemaText = await source.read(config.schema.bot);
  const absent: FileProblem = {
    file: BOT_CONFIG_FILE,
    ...reading.locate(['schema', 'bot']),
    message: `schema.bot: ${config.schema.bot} does not exist`,
    hint: 'Create it: {"type": "object", "properties": {}}.',
  };
  const schema = schemaText === null ? null : readBotSchema(schemaText, config.schema.bot);
  const problems = [
    ...reading.problems,
    ...(schema === null ? [absent] : schema.problems),
    ...missingEntries(source, config, runtime, reading.locate),
  ];
  const warnings = [...reading.warnings, ...(schema?.warnings ?? [])];
  if (problems.length > 0 || schema?.schema === undefined) return { dir, problems, warnings, project: null };
  const named = namedFiles(config);
  return { dir, problems, warnings, project: { dir, config, runtime, schema: schema.schema, named } };
}

/** One problem as a line that editors and terminals make clickable. */
export function problemLine({ file, line, column, message, hint }: FileProblem): string {
  return `${file}:${line}:${column}  ${message}${hint === '' ? '' : `\n    ${hint}`}`;
}

/** The project, or INVALID_PACKAGE with everything that is wrong. */
export function usableProject(reading: ProjectReading): Project {
  if (reading.project !== null) return reading.project;
  const [first] = reading.problems;
  const more = reading.problems.length > 1 ? ` (and ${reading.problems.length - 1} more)` : '';
  const details = reading.problems.map(({ file, line, column, message, hint }) => ({
    path: `${file}:${line}:${column}`,
    message,
    hint,
  }));
  const at = first === undefined ? '' : `${first.file}:${first.line}:${first.column}: ${first.message}`;
  throw new PlatformError('INVALID_PACKAGE', `${at}${more}`, { hint: first?.hint, details });
}
