import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Overlay, ProjectCheck } from '../../../contract/project.ts';
import { BOT_CONFIG_FILE } from '../../../packaging/bot-config.ts';
import { BOT_SCHEMA_FILE, readBotSchema } from '../../../packaging/bot-schema.ts';
import { pathFault } from '../../../packaging/package-path-rules.ts';
import type { PackageSource } from '../../../packaging/package-source.ts';
import { INSTANCE_FILE } from '../../../project/instance-check.ts';
import { isChecked, type ProgramSyntax, type ProgramText } from '../../../project/program-syntax.ts';
import { readPackageFiles } from '../../../project/read-package.ts';
import { type ProjectReading, type ProjectSource, readProjectFiles } from '../../../project/read-project.ts';
import type { ConfinedFolder } from './confined.ts';

const plain = (path: string): string => (path.startsWith('./') ? path.slice(2) : path);

/** Source of a project's files, in which unsaved texts replace those on the disk. */
export function overlaidSource(folder: ConfinedFolder, overlays: readonly Overlay[]): ProjectSource {
  const texts = new Map(overlays.map(({ path, content }) => [path, content]));
  return {
    dir: folder.root,
    make: 'make',
    exists: (path) =>
      texts.has(plain(path)) || (pathFault(plain(path)) === null && existsSync(join(folder.root, path))),
    async read(path) {
      const wanted = plain(path);
      const overlay = texts.get(wanted);
      if (overlay !== undefined) return overlay;
      if (pathFault(wanted) !== null) return null;
      try {
        return (await folder.read(wanted)).text;
      } catch (error) {
        // A missing file, or a link: for the project neither exists.
        if (error instanceof PlatformError) return null;
        throw error;
      }
    },
  };
}

/** State of a project in an editor. */
export interface Edited {
  readonly overlays: readonly Overlay[];
  /** Paths of the files that the editor shows. */
  readonly open: readonly string[];
}

/** Returns the files of a project that its package would contain, with unsaved texts in place of those on the disk. */
async function packageFiles(
  folder: ConfinedFolder,
  overlays: readonly Overlay[],
  named: readonly string[],
): Promise<PackageSource> {
  const texts = new Map(overlays.map(({ path, content }) => [path, content]));
  const asked = [...new Set([...named.map(plain), INSTANCE_FILE])].filter((path) => !texts.has(path));
  const there = await Promise.all(asked.map((path) => isFile(folder, path)));
  return {
    paths: [...texts.keys(), ...asked.filter((_, at) => there[at])],
    async read(path, most = LIMITS.projectShownBytes) {
      const text = texts.get(path);
      return text === undefined ? folder.start(path, most) : Buffer.from(text).subarray(0, most);
    },
  };
}

async function isFile(folder: ConfinedFolder, path: string): Promise<boolean> {
  if (pathFault(path) !== null) return false;
  try {
    await folder.start(path, 0);
    return true;
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

/**
 * Returns the problems that publishing the project would find, as its author types; never throws because of the
 * contents of its files.
 */
export async function checkProject(
  folder: ConfinedFolder,
  { overlays, open }: Edited,
  syntax: ProgramSyntax,
): Promise<ProjectCheck> {
  const source = overlaidSource(folder, overlays);
  const reading = await readProjectFiles(source);
  const ofPrograms = await syntax.check(await programTexts(source, open));
  if (reading === null) {
    const message = `the project has no ${BOT_CONFIG_FILE}`;
    const hint = 'Make one: it says what the bot is called and which program it runs.';
    const problem = { file: BOT_CONFIG_FILE, line: 1, column: 1, message, hint };
    return { valid: false, problems: [problem, ...ofPrograms], warnings: [] };
  }
  const found = await problemsOf(folder, overlays, source, reading);
  // An open file may also be an entry.
  const known = new Set(found.map(({ file }) => file));
  const problems = [...found, ...ofPrograms.filter(({ file }) => !known.has(file))];
  return { valid: problems.length === 0, problems, warnings: [...reading.warnings] };
}

async function problemsOf(
  folder: ConfinedFolder,
  overlays: readonly Overlay[],
  source: ProjectSource,
  { project, problems }: ProjectReading,
): Promise<FileProblem[]> {
  if (project === null) {
    const isRead = problems.some(({ file }) => file !== BOT_CONFIG_FILE);
    const schema = isRead ? null : await source.read(BOT_SCHEMA_FILE);
    return [...problems, ...(schema === null ? [] : readBotSchema(schema).problems)];
  }
  const files = await packageFiles(folder, overlays, [BOT_CONFIG_FILE, ...project.named]);
  const found = await readPackageFiles(files, { os: process.platform, arch: process.arch });
  return [...found.problems, ...found.faults];
}

/** Returns those of some files that are programs whose syntax can be checked. */
async function programTexts(source: ProjectSource, paths: readonly string[]): Promise<ProgramText[]> {
  const programs = [...new Set(paths.map(plain))].filter(isChecked);
  const texts = await Promise.all(programs.map(async (path) => ({ path, text: await source.read(path) })));
  return texts.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]));
}
