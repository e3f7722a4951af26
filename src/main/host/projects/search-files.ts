import { PlatformError } from '../../../contract/errors.ts';
import type { ProjectMatch } from '../../../contract/project.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import type { ConfinedFolder } from './confined.ts';
import { walkTree } from './walk-tree.ts';

const AT_ONCE = 16;
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
