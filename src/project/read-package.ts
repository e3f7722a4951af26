import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BotConfig, FileProblem, Runtime } from '../contract/custom-bot.ts';
import { LIMITS } from '../contract/limits.ts';
import { BOT_CONFIG_FILE, type BotConfigReading, readBotConfig } from '../packaging/bot-config.ts';
import { readBotSchema } from '../packaging/bot-schema.ts';
import { decodeText } from '../packaging/decode-text.ts';
import { checkExecutable, type ExecutableTarget, HEADER_BYTES } from '../packaging/executable-header.ts';
import { fileProblem } from '../packaging/file-problem.ts';
import type { PackageSource } from '../packaging/package-source.ts';
import { listPackageFiles } from '../packaging/project-files.ts';
import type { SchemaObject } from '../packaging/schema-walk.ts';
import { checkView } from '../packaging/view-rules.ts';
import { descriptorOf } from '../runtimes/descriptors.ts';
import { canonicalRuntime } from '../runtimes/registry.ts';
import { didYouMean } from '../shared/did-you-mean.ts';
import { parseEntrypoint } from '../shared/parse-entrypoint.ts';
import { checkInstance, INSTANCE_FILE } from './instance-check.ts';
import { isChecked, ProgramSyntax, type ProgramText } from './program-syntax.ts';
import type { ProjectReading } from './read-project.ts';

/** Facts that the files of an unpacked package state. */
export interface PackageContent {
  readonly config: BotConfig;
  readonly runtime: Runtime;
  readonly schema: SchemaObject;
  readonly readme: string | null;
  /** Entry files of a compiled runtime: they must be executable. */
  readonly programs: readonly string[];
}

/** A package that was read, or all its problems. */
export interface PackageReading {
  /** Present when bot-config.yaml, schema and files fit together. */
  readonly content: PackageContent | null;
  /** Problems that prevent reading; empty when `content` is there. */
  readonly problems: readonly FileProblem[];
  /** Faults inside its files: programs that cannot start, a view that cannot be shown, an instance.json that any host would refuse. */
  readonly faults: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

const plainPath = (path: string) => (path.startsWith('./') ? path.slice(2) : path);

function filesIn(dir: string, paths: readonly string[]): PackageSource {
  return {
    paths,
    async read(path, most) {
      if (most === undefined) return readFile(join(dir, path));
      const file = await open(join(dir, path));
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
  };
}

/** Checks a package file by file, collecting problems at their places in bot-config.yaml. */
class Inspection {
  readonly problems: FileProblem[] = [];
  readonly #files: PackageSource;
  readonly #locate: BotConfigReading['locate'];

  constructor(files: PackageSource, locate: BotConfigReading['locate']) {
    this.#files = files;
    this.#locate = locate;
  }

  #problem(field: readonly string[], message: string, hint: string): void {
    this.problems.push(fileProblem(BOT_CONFIG_FILE, this.#locate(field), message, hint));
  }

  /** Returns true if the package holds a file that a field names; else notes a problem. */
  has(field: readonly string[], path: string): boolean {
    const { paths } = this.#files;
    if (paths.includes(path)) return true;
    const twin = paths.find((known) => known.toLowerCase() === path.toLowerCase());
    const meant = twin ?? didYouMean(path, paths);
    const message = `${field.join('.')} names ${path}, which is not in the package`;
    const advice = 'Check the path, and that .platformignore does not exclude it; build compiled bots first.';
    this.#problem(field, message, meant === null ? advice : `Did you mean ${meant}? ${advice}`);
    return false;
  }

  async text(field: readonly string[], path: string): Promise<string | null> {
    if (!this.has(field, path)) return null;
    const bytes = await this.#files.read(path);
    if (bytes.length > LIMITS.metadataFileBytes) {
      const limit = `${LIMITS.metadataFileBytes / 1024} KiB`;
      this.#problem(field, `${path} is larger than ${limit}`, 'Shorten it.');
      return null;
    }
    const decoded = decodeText(bytes, path);
    if ('text' in decoded) return decoded.text;
    this.problems.push(decoded.problem);
    return null;
  }

  async program(field: readonly string[], path: string, target: ExecutableTarget): Promise<void> {
    if (!this.has(field, path)) return;
    const wrong = checkExecutable(await this.#files.read(path, HEADER_BYTES), target, path);
    if (wrong !== null) this.#problem(field, wrong.message, wrong.hint);
  }
}

const broken = (problems: readonly FileProblem[], warnings: readonly FileProblem[] = []): PackageReading => {
  return { content: null, problems, faults: [], warnings };
};

async function readConfigFile({ paths, read }: PackageSource): Promise<BotConfigReading | FileProblem> {
  if (!paths.includes(BOT_CONFIG_FILE)) {
    const nested = paths.find((path) => path.endsWith(`/${BOT_CONFIG_FILE}`));
    const message = `the package has no ${BOT_CONFIG_FILE} at its root`;
    const hint =
      nested === undefined
        ? 'Run `platform custom-bot deploy` in the folder of bot-config.yaml.'
        : `It is at ${nested}: pack the content of that folder, not the folder itself.`;
    return fileProblem(BOT_CONFIG_FILE, { line: 1, column: 1 }, message, hint);
  }
  const decoded = decodeText(await read(BOT_CONFIG_FILE), BOT_CONFIG_FILE);
  return 'problem' in decoded ? decoded.problem : readBotConfig(decoded.text);
}

/** Longest program whose syntax is checked, in bytes; longer ones are generated. */
const MOST_PROGRAM_BYTES = 1024 * 1024;
const syntax = new ProgramSyntax();

async function programTexts(files: PackageSource, config: BotConfig): Promise<ProgramText[]> {
  const { bot, query } = config.entrypoints;
  const entries = [bot, query].flatMap((entry) => (entry === undefined ? [] : [parseEntrypoint(entry).file]));
  const programs = [...new Set(entries)].filter(isChecked);
  const texts = programs.map(async (path) => ({ path, bytes: await files.read(path) }));
  const all = await Promise.all(texts);
  return all.flatMap(({ path, bytes }) =>
    bytes.length > MOST_PROGRAM_BYTES ? [] : [{ path, text: bytes.toString('utf8') }],
  );
}

/** Faults inside the files of a package whose parts fit together. */
async function faultsOf(files: PackageSource, { config, runtime, schema }: PackageContent): Promise<FileProblem[]> {
  const found = [...(await syntax.check(await programTexts(files, config), runtime)), ...(await checkView(files))];
  if (!files.paths.includes(INSTANCE_FILE)) return found;
  const instance = (await files.read(INSTANCE_FILE)).toString('utf8');
  return [...found, ...checkInstance({ config, schema }, instance)];
}

/**
 * Reads and checks a package: bot-config.yaml, schema, readme, entry points, for compiled runtimes that the entry is a program
 * for `target`, the syntax of entries whose runtime has a check for it, and instance.json. Everything that edits, validates,
 * tries or publishes a package uses this one check.
 */
export async function readPackageFiles(files: PackageSource, target: ExecutableTarget): Promise<PackageReading> {
  const reading = await readConfigFile(files);
  if (!('locate' in reading)) return broken([reading]);
  const { config } = reading;
  if (config === undefined) return broken(reading.problems, reading.warnings);
  const runtime = canonicalRuntime(config.runtime);
  if (runtime === null) throw new Error(`readBotConfig let the runtime ${config.runtime} pass`);
  const found = new Inspection(files, reading.locate);
  const programs: string[] = [];
  for (const role of ['bot', 'query'] as const) {
    const entry = config.entrypoints[role];
    if (entry === undefined) continue;
    const { file } = parseEntrypoint(entry);
    if (descriptorOf(runtime).interpreter === null) {
      programs.push(file);
      await found.program(['entrypoints', role], file, target);
    } else found.has(['entrypoints', role], file);
  }
  const schemaFile = plainPath(config.schema.bot);
  const schemaText = await found.text(['schema', 'bot'], schemaFile);
  const schema = schemaText === null ? null : readBotSchema(schemaText, schemaFile);
  const readme = config.readme === undefined ? null : await found.text(['readme'], plainPath(config.readme));
  const problems = [...found.problems, ...(schema?.problems ?? [])];
  const warnings = [...reading.warnings, ...(schema?.warnings ?? [])];
  if (problems.length > 0 || schema?.schema === undefined) return broken(problems, warnings);
  const content = { config, runtime, schema: schema.schema, readme, programs };
  return { content, problems: [], faults: await faultsOf(files, content), warnings };
}

/** Reads and checks a package that is unpacked in a folder; `paths` are the files of `dir` that belong to it. */
export function readPackage(dir: string, paths: readonly string[], target: ExecutableTarget): Promise<PackageReading> {
  return readPackageFiles(filesIn(dir, paths), target);
}

/** Returns all problems of a project in a folder; a project without any can be published. */
export async function checkFolder({ dir, problems, project }: ProjectReading): Promise<FileProblem[]> {
  if (project === null) return [...problems];
  const packed = (await listPackageFiles(dir, { keep: project.named })).map(({ path }) => path);
  // A deploy reads it from the folder, also where .platformignore keeps it out of the package.
  const paths = existsSync(join(dir, INSTANCE_FILE)) ? [...new Set([...packed, INSTANCE_FILE])] : packed;
  const found = await readPackage(dir, paths, { os: process.platform, arch: process.arch });
  return [...found.problems, ...found.faults];
}
