import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { ProjectEntry, ProjectMatch } from '../../../contract/project.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import type { ConfinedFolder } from './confined.ts';

/** Generated folders, which are not for editing and hold up to a hundred thousand files. */
const IGNORED = new Set([
  '.git',
  '.hg',
  '.svn',
  '.bzr',
  '.platform',
  'node_modules',
  '__pycache__',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  'dist-newstyle',
]);
/** Temporary file that a writer keeps beside its target for a moment. */
const TEMPORARY = /^\.tmp-\d+-\d+$/;
const DEPTH = 40;
const AT_ONCE = 16;

/** True for a name that is left out of every list, search and watch of a project. */
export const isIgnored = (name: string): boolean => IGNORED.has(name) || TEMPORARY.test(name);

export interface Tree {
  readonly entries: ProjectEntry[];
  /** True if the project has more entries than are listed. */
  readonly truncated: boolean;
}

/**
 * Returns the entries of a folder; empty for a folder that is missing or unreadable, null for one whose path is too
 * long for the system.
 */
async function namesIn(dir: string) {
  try {
    return await readdir(dir, { withFileTypes: true });
  } catch (error) {
    const code = systemErrorCode(error);
    // The folder is gone or unreadable: the others can still be listed.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM') return [];
    if (code === 'ENAMETOOLONG') return null;
    throw error;
  }
}

/** Lists a project, sorted by path; links are listed and not followed. */
export async function walkTree(root: string, limit: number = LIMITS.projectEntries): Promise<Tree> {
  const entries: ProjectEntry[] = [];
  const known = new Set<string>();
  let waiting = [''];
  let isFull = false;
  let isTooDeep = false;
  while (waiting.length > 0 && !isFull) {
    const now = waiting.slice(0, AT_ONCE);
    waiting = waiting.slice(AT_ONCE);
    const found = await Promise.all(now.map(async (folder) => ({ folder, names: await namesIn(join(root, folder)) })));
    for (const { folder, names } of found) {
      isTooDeep ||= names === null;
      for (const entry of names ?? []) {
        if (isIgnored(entry.name)) continue;
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entries.length >= limit) {
          isFull = true;
          break;
        }
        // Names that are not UTF-8 all decode to the same text; none of them can be opened.
        if (known.has(path)) continue;
        known.add(path);
        const kind = entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file';
        if (kind === 'file' && !entry.isFile()) continue;
        entries.push({ path, kind });
        if (kind !== 'folder') continue;
        if (path.split('/').length < DEPTH) waiting.push(path);
        else isTooDeep = true;
      }
    }
  }
  return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), truncated: isFull || isTooDeep };
}

const SEARCH_MS = 4000;
const AROUND = 80;

/** Yields the places of a text in the lines of a file. */
export function* matchesIn(path: string, text: string, wanted: string, matchCase: boolean): Generator<ProjectMatch> {
  // Not by comparing lower case: some letters get longer in it, and positions would not be those of the line.
  const needle = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), matchCase ? 'gu' : 'giu');
  for (const [index, whole] of text.split('\n').entries()) {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    for (const { index: at, 0: found } of line.matchAll(needle)) {
      const from = Math.max(0, at - AROUND);
      const shown = line.slice(from, at + found.length + AROUND);
      yield { path, line: index + 1, column: at + 1, length: found.length, text: shown, offset: at - from };
    }
  }
}

/** Finds a text in the files of a project; `truncated` when it has more matches than the limit, or the time was over. */
export async function searchFiles(
  folder: ConfinedFolder,
  { text, matchCase, limit }: { readonly text: string; readonly matchCase: boolean; readonly limit: number },
  now: () => number,
): Promise<{ matches: ProjectMatch[]; truncated: boolean }> {
  const until = now() + SEARCH_MS;
  const tree = await walkTree(folder.root);
  const matches: ProjectMatch[] = [];
  const files = tree.entries.filter(({ kind }) => kind === 'file');
  for (let at = 0; at < files.length; at += AT_ONCE) {
    if (now() > until) return { matches, truncated: true };
    const group = await Promise.all(files.slice(at, at + AT_ONCE).map(({ path }) => textOf(folder, path)));
    for (const { path, content } of group) {
      for (const match of matchesIn(path, content, text, matchCase)) {
        if (matches.length >= limit) return { matches, truncated: true };
        matches.push(match);
      }
    }
  }
  return { matches, truncated: tree.truncated };
}

async function textOf(folder: ConfinedFolder, path: string): Promise<{ path: string; content: string }> {
  try {
    return { path, content: (await folder.read(path)).text ?? '' };
  } catch (error) {
    // The file is gone, has a name that cannot be opened, or is unreadable: it is not searched.
    const code = systemErrorCode(error);
    if (error instanceof PlatformError || code === 'EACCES' || code === 'EPERM') return { path, content: '' };
    throw error;
  }
}
