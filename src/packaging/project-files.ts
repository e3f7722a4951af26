import { existsSync } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { invalid, type Problem } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { byPath } from './content-hash.ts';
import { START_BYTES, startsProgram } from './executable-header.ts';
import { PathSet, pathFault } from './package-path-rules.ts';
import { readPlainFile } from './read-plain-file.ts';

/** Name of the file with gitignore patterns at the root of a custom bot. */
export const IGNORE_FILE = '.platformignore';

/** Folder of a project for what the tools make, such as production dependencies. Never packed. */
export const WORK_FOLDER = '.platform';

/** A file that goes into the package. */
export interface ProjectFile {
  /** Path inside the package, with `/`. */
  readonly path: string;
  /** Absolute path on this machine. */
  readonly source: string;
  readonly size: number;
  readonly executable: boolean;
}

export interface ListOptions {
  /** Files that are packed even when a pattern excludes them: those that bot-config.yaml names. */
  readonly keep?: readonly string[];
  /** Folders from elsewhere that replace folders of the project, by name: `node_modules` -> absolute path. */
  readonly overlays?: Readonly<Record<string, string>>;
}

/** Never code, or secret: excluded unless .platformignore brings them back (`!.env.example`). */
const ALWAYS = `
.git/
.hg/
.svn/
.bzr/
CVS/
.env*
.npmrc
.pypirc
.netrc
__pycache__/
*.py[co]
.DS_Store
Thumbs.db
/${WORK_FOLDER}/
.tmp-[0-9]*-[0-9]*
`;

/** Excluded in a project that has no .platformignore. */
const DEFAULTS = `
.gitignore
.gitattributes
.github/
.idea/
.vscode/
.venv/
venv/
.tox/
.nox/
.cache/
.*_cache/
.coverage*
coverage/
htmlcov/
.nyc_output/
test/
tests/
__tests__/
test-results/
*.log
*.tmp
*.temp
*.swp
*~
target/**/deps/
target/**/build/
target/**/examples/
target/**/incremental/
target/**/.fingerprint/
*.rlib
CMakeFiles/
dist-newstyle/cache/
`;

/** Dependencies at the root are packed whole, whatever the patterns say: a bot cannot start without them. */
const VENDORED = new Set(['vendor', 'node_modules']);
const NEVER = new Set(['.git', '.hg', '.svn', '__pycache__']);
const PROBLEMS_SHOWN = 20;

/** Decides which files of a project belong to its package. */
export class PackagePatterns {
  readonly #matcher: Ignore;

  /** `text` is that of the project's .platformignore, null without one. */
  constructor(text: string | null) {
    this.#matcher = ignore({ ignorecase: false })
      .add(ALWAYS)
      .add(text ?? DEFAULTS);
  }

  /** `vendored`: it lies in, or is, a folder of dependencies at the root. */
  takesFolder(path: string, vendored: boolean): boolean {
    return vendored ? !NEVER.has(path.slice(path.lastIndexOf('/') + 1)) : !this.#matcher.ignores(`${path}/`);
  }

  /** For a file whose folders were taken. */
  takesFile(path: string, vendored: boolean): boolean {
    return vendored ? !/\.py[co]$/.test(path) : !this.#matcher.ignores(path);
  }

  /** For any path of the project: null if it belongs to the package, else itself, or the folder `…/` that is left out. */
  leftOut(path: string, isFolder: boolean): string | null {
    const parts = path.split('/');
    const vendored = VENDORED.has(parts[0] ?? '');
    const folders = isFolder ? parts.length : parts.length - 1;
    for (let depth = 1; depth <= folders; depth++) {
      const folder = parts.slice(0, depth).join('/');
      if (!this.takesFolder(folder, vendored)) return `${folder}/`;
    }
    return isFolder || this.takesFile(path, vendored) ? null : path;
  }
}

/** npm's launchers for programs of dependencies, which are links: no code needs them, and packages hold no links. */
export const isLauncher = (path: string): boolean => /(^|\/)node_modules\/\.bin\/[^/]+$/.test(path);

/** Windows keeps no executable bit, so the first bytes tell a program. */
async function isExecutable(source: string, mode: number): Promise<boolean> {
  if (process.platform !== 'win32') return (mode & 0o111) !== 0;
  const file = await open(source);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return startsProgram(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

class Walk {
  readonly files: ProjectFile[] = [];
  readonly problems: Problem[] = [];
  readonly #names = new PathSet();
  readonly #patterns: PackagePatterns;
  readonly #options: ListOptions;

  constructor(patterns: PackagePatterns, options: ListOptions) {
    this.#patterns = patterns;
    this.#options = options;
  }

  async folder(source: string, prefix: string, vendored: boolean): Promise<void> {
    for (const entry of await readdir(source, { withFileTypes: true })) {
      const path = `${prefix}${entry.name}`;
      const inside = vendored || (prefix === '' && VENDORED.has(entry.name));
      const overlay = prefix === '' ? this.#options.overlays?.[entry.name] : undefined;
      if (overlay !== undefined) continue;
      if (entry.isDirectory()) {
        if (!this.#patterns.takesFolder(path, inside)) continue;
        await this.folder(join(source, entry.name), `${path}/`, inside);
      } else if (this.#patterns.takesFile(path, inside)) {
        await this.file(join(source, entry.name), path);
      }
    }
  }

  async file(source: string, path: string): Promise<void> {
    const stats = await lstat(source);
    if (stats.isSymbolicLink()) {
      if (isLauncher(path)) return;
      const hint = `Replace the link by a copy, or exclude it in ${IGNORE_FILE}. For npm: npm install --install-links.`;
      this.problems.push({ path, message: 'is a symbolic link, and packages hold regular files only', hint });
      return;
    }
    if (!stats.isFile()) {
      const message = 'is neither a file nor a folder';
      this.problems.push({ path, message, hint: `Remove it, or exclude it in ${IGNORE_FILE}.` });
      return;
    }
    const fault = pathFault(path) ?? this.#names.add(path, 'file');
    if (fault !== null) this.problems.push({ path, ...fault });
    this.files.push({ path, source, size: stats.size, executable: await isExecutable(source, stats.mode) });
  }
}

function checkLimits(files: readonly ProjectFile[]): Problem[] {
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const problems: Problem[] = [];
  if (files.length > LIMITS.packageFiles)
    problems.push({
      path: '',
      message: `the folder has ${files.length} files to pack; at most ${LIMITS.packageFiles} are allowed`,
      hint: `Exclude what the bot does not need in ${IGNORE_FILE}.`,
    });
  if (bytes > LIMITS.unpackedBytes) {
    const largest = [...files].sort((a, b) => b.size - a.size).slice(0, 3);
    const mib = (size: number) => `${Math.ceil(size / 2 ** 20)} MiB`;
    problems.push({
      path: '',
      message: `the folder has ${mib(bytes)} to pack; at most ${mib(LIMITS.unpackedBytes)} are allowed`,
      hint: `Exclude large files in ${IGNORE_FILE}. The largest: ${largest.map((f) => `${f.path} (${mib(f.size)})`).join(', ')}`,
    });
  }
  return problems;
}

/**
 * The files of a project that go into its package, sorted. Patterns of `.platformignore` apply, root `vendor/` and
 * `node_modules/` are packed whole, empty folders are left out. Symbolic links are refused, except npm's launchers in
 * `node_modules/.bin`, which are left out. Throws INVALID_PACKAGE with everything found.
 */
export async function listPackageFiles(dir: string, options: ListOptions = {}): Promise<ProjectFile[]> {
  const walk = new Walk(new PackagePatterns(await readPlainFile(join(dir, IGNORE_FILE))), options);
  await walk.folder(dir, '', false);
  for (const [name, source] of Object.entries(options.overlays ?? {})) await walk.folder(source, `${name}/`, true);
  const listed = new Set(walk.files.map(({ path }) => path));
  for (const path of options.keep ?? []) {
    if (listed.has(path) || pathFault(path) !== null) continue;
    const source = join(dir, path);
    if (existsSync(source) && (await lstat(source)).isFile()) await walk.file(source, path);
  }
  const problems = [...walk.problems, ...checkLimits(walk.files)];
  if (problems.length > 0) throw invalid('INVALID_PACKAGE', problems.slice(0, PROBLEMS_SHOWN));
  return walk.files.sort(byPath);
}
