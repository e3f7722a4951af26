import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../../contract/limits.ts';
import type { ProjectEntry } from '../../../contract/project.ts';
import { systemErrorCode } from '../../../node/system-error.ts';

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
