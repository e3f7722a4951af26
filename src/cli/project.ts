import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BotConfig, canonicalRuntime, type FileProblem, RUNTIMES, type Runtime } from '../contract/custom-bot.ts';
import { invalid, PlatformError } from '../contract/errors.ts';
import { parseEntrypoint } from '../isomorphic/entrypoint.ts';
import { BOT_CONFIG_FILE, readBotConfig } from '../packaging/bot-config.ts';
import { readBotSchema } from '../packaging/bot-schema.ts';
import type { SchemaObject } from '../packaging/schema-walk.ts';
import { quoted } from './command-name.ts';

/** A project folder that was read: what it says, and all that is wrong with it. */
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
  /** Files that bot-config.yaml names: packed whatever .platformignore says. */
  readonly named: readonly string[];
}

async function readText(path: string): Promise<string | null> {
  return existsSync(path) ? readFile(path, 'utf8') : null;
}

/** How a compiled entry is built: the command where the project has a Makefile. */
function buildHint(dir: string, given: string): string {
  const make = `make${given === '' || given === '.' ? '' : ` -C ${quoted(given)}`}`;
  return existsSync(join(dir, 'Makefile'))
    ? `Build it first: \`${make}\`. The package holds the binary, not the source.`
    : 'Build it first: the package holds the binary, not the source.';
}

/** Files of the entries that are not there; a compiled one must be built first. */
function missingEntries(
  { dir, given }: { readonly dir: string; readonly given: string },
  config: BotConfig,
  runtime: Runtime,
  locate: (path: readonly string[]) => object,
) {
  const compiled = RUNTIMES[runtime].kind === 'binary';
  return (['bot', 'query'] as const).flatMap((role): FileProblem[] => {
    const entry = config.entrypoints[role];
    if (entry === undefined) return [];
    const { file } = parseEntrypoint(entry);
    if (existsSync(join(dir, file))) return [];
    const place = { line: 1, column: 1, ...locate(['entrypoints', role]) };
    return [
      {
        file: BOT_CONFIG_FILE,
        line: place.line,
        column: place.column,
        message: `entrypoints.${role}: ${file} does not exist`,
        hint: compiled ? buildHint(dir, given) : 'Create it or correct the path.',
      },
    ];
  });
}

/** Refuses what is no folder, in the words of whoever gave the path. */
function checkFolder(dir: string, given: string): void {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  const path = given === '' ? dir : given;
  const [message, hint] =
    stats === undefined
      ? ['there is no such folder', `Give the folder of your bot, or start one with \`platform init ${quoted(path)}\`.`]
      : ['is a file, not the folder of a project', 'Give the folder of your bot.'];
  throw invalid('INVALID_REQUEST', [{ path, message, hint }]);
}

/**
 * Reads and checks the project in a folder as it was given ('' for `cwd`; wire.md section 2). Throws INVALID_REQUEST for
 * a folder that is no project at all.
 */
export async function readProject(cwd: string, given = ''): Promise<ProjectReading> {
  const dir = resolve(cwd, given);
  checkFolder(dir, given);
  const text = await readText(join(dir, BOT_CONFIG_FILE));
  if (text === null) {
    throw invalid('INVALID_REQUEST', [
      {
        path: dir,
        message: `is no bot project: it has no ${BOT_CONFIG_FILE}`,
        hint: 'Go to the folder of your bot, or start one with `platform init my-bot`.',
      },
    ]);
  }
  const reading = readBotConfig(text);
  const { config } = reading;
  if (config === undefined) return { dir, problems: reading.problems, warnings: reading.warnings, project: null };
  const runtime = canonicalRuntime(config.runtime);
  if (runtime === null) throw new Error(`the runtime ${config.runtime} was let through`);
  const schemaText = await readText(join(dir, config.schema.bot));
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
    ...missingEntries({ dir, given }, config, runtime, reading.locate),
  ];
  const warnings = [...reading.warnings, ...(schema?.warnings ?? [])];
  if (problems.length > 0 || schema?.schema === undefined) return { dir, problems, warnings, project: null };
  const { bot, query } = config.entrypoints;
  const entries = [bot, query].flatMap((entry) => (entry === undefined ? [] : [parseEntrypoint(entry).file]));
  const named = [
    BOT_CONFIG_FILE,
    config.schema.bot,
    ...entries,
    ...(config.readme === undefined ? [] : [config.readme]),
  ];
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
