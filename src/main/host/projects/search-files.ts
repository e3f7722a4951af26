import type { ProjectMatch } from '../../../contract/project.ts';
import { matchesIn } from '../../../shared/project-text-matches.ts';
import type { ConfinedFolder } from './confined.ts';
import { readableText } from './readable-text.ts';
import { walkTree } from './walk-tree.ts';

const AT_ONCE = 16;
const SEARCH_MS = 4000;

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
    const group = await Promise.all(
      files.slice(at, at + AT_ONCE).map(async ({ path }) => ({ path, content: await readableText(folder, path) })),
    );
    for (const { path, content } of group) {
      for (const match of matchesIn(path, content ?? '', text, matchCase)) {
        if (matches.length >= limit) return { matches, truncated: true };
        matches.push(match);
      }
    }
  }
  return { matches, truncated: tree.truncated };
}
