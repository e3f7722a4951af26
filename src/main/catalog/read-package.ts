import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BotConfig, FileProblem, Runtime } from '../../contract/custom-bot.ts';
import { canonicalRuntime, RUNTIMES } from '../../contract/custom-bot.ts';
import { invalid } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { didYouMean } from '../../isomorphic/did-you-mean.ts';
import { parseEntrypoint } from '../../isomorphic/entrypoint.ts';
import { BOT_CONFIG_FILE, type BotConfigReading, readBotConfig } from '../../packaging/bot-config.ts';
import { readBotSchema } from '../../packaging/bot-schema.ts';
import { checkExecutable, type ExecutableTarget, HEADER_BYTES } from '../../packaging/executable.ts';
import type { SchemaObject } from '../../packaging/schema-walk.ts';
import { decodeText, fileProblem, toProblem } from '../../packaging/text.ts';
import type { Unpacked } from '../../packaging/unpack.ts';

/** What the files of an unpacked package say. */
export interface PackageContent {
  readonly config: BotConfig;
  readonly runtime: Runtime;
  readonly schema: SchemaObject;
  readonly readme: string | null;
  /** Entry files of a compiled runtime: they must be executable. */
  readonly programs: readonly string[];
  readonly warnings: FileProblem[];
}

const plainPath = (path: string) => (path.startsWith('./') ? path.slice(2) : path);

function fail(problems: readonly FileProblem[]): never {
  throw invalid('INVALID_PACKAGE', problems.map(toProblem));
}

/** Checks an unpacked package file by file, collecting problems at their places in bot-config.yaml. */
class Inspection {
  readonly problems: FileProblem[] = [];
  readonly warnings: FileProblem[] = [];
  readonly #dir: string;
  readonly #paths: readonly string[];
  readonly #locate: BotConfigReading['locate'];

  constructor(dir: string, paths: readonly string[], locate: BotConfigReading['locate']) {
    this.#dir = dir;
    this.#paths = paths;
    this.#locate = locate;
  }

  #problem(field: readonly string[], message: string, hint: string): void {
    this.problems.push(fileProblem(BOT_CONFIG_FILE, this.#locate(field), message, hint));
  }

  /** Whether a file that a field names is in the package. */
  has(field: readonly string[], path: string): boolean {
    if (this.#paths.includes(path)) return true;
    const twin = this.#paths.find((known) => known.toLowerCase() === path.toLowerCase());
    const meant = twin ?? didYouMean(path, this.#paths);
    const message = `${field.join('.')} names ${path}, which is not in the package`;
    const advice = 'Check the path, and that .platformignore does not exclude it; build compiled bots first.';
    this.#problem(field, message, meant === null ? advice : `Did you mean ${meant}? ${advice}`);
    return false;
  }

  async text(field: readonly string[], path: string): Promise<string | null> {
    if (!this.has(field, path)) return null;
    const bytes = await readFile(join(this.#dir, path));
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
    const file = await open(join(this.#dir, path));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      const wrong = checkExecutable(buffer.subarray(0, bytesRead), target, path);
      if (wrong !== null) this.#problem(field, wrong.message, wrong.hint);
    } finally {
      await file.close();
    }
  }
}

async function readConfigFile(dir: string, paths: readonly string[]): Promise<BotConfigReading> {
  if (!paths.includes(BOT_CONFIG_FILE)) {
    const nested = paths.find((path) => path.endsWith(`/${BOT_CONFIG_FILE}`));
    const message = `the package has no ${BOT_CONFIG_FILE} at its root`;
    const hint =
      nested === undefined
        ? 'Run `platform custom-bot deploy` in the folder of bot-config.yaml.'
        : `It is at ${nested}: pack the content of that folder, not the folder itself.`;
    fail([fileProblem(BOT_CONFIG_FILE, { line: 1, column: 1 }, message, hint)]);
  }
  const decoded = decodeText(await readFile(join(dir, BOT_CONFIG_FILE)), BOT_CONFIG_FILE);
  return 'problem' in decoded ? fail([decoded.problem]) : readBotConfig(decoded.text);
}

/**
 * Reads and checks everything that a package says about itself (wire.md section 2): bot-config.yaml, schema, readme,
 * entry points, and for compiled runtimes that the entry is a program for `target`. Throws INVALID_PACKAGE with every
 * problem found.
 */
export async function readPackage(dir: string, unpacked: Unpacked, target: ExecutableTarget): Promise<PackageContent> {
  const paths = unpacked.files.map(({ path }) => path);
  const reading = await readConfigFile(dir, paths);
  const { config } = reading;
  if (config === undefined) return fail(reading.problems);
  const runtime = canonicalRuntime(config.runtime);
  if (runtime === null) throw new Error(`readBotConfig let the runtime ${config.runtime} pass`);
  const found = new Inspection(dir, paths, reading.locate);
  const programs: string[] = [];
  for (const role of ['bot', 'query'] as const) {
    const entry = config.entrypoints[role];
    if (entry === undefined) continue;
    const { file } = parseEntrypoint(entry);
    if (RUNTIMES[runtime].kind === 'binary') {
      programs.push(file);
      await found.program(['entrypoints', role], file, target);
    } else found.has(['entrypoints', role], file);
  }
  const schemaFile = plainPath(config.schema.bot);
  const schemaText = await found.text(['schema', 'bot'], schemaFile);
  const schema = schemaText === null ? null : readBotSchema(schemaText, schemaFile);
  const readme = config.readme === undefined ? null : await found.text(['readme'], plainPath(config.readme));
  const problems = [...found.problems, ...(schema?.problems ?? [])];
  if (problems.length > 0 || schema?.schema === undefined) return fail(problems);
  return {
    config,
    runtime,
    schema: schema.schema,
    readme,
    programs,
    warnings: [...reading.warnings, ...schema.warnings],
  };
}
