import type { ProjectEntry } from '../../../contract/project.ts';

/** One line of the tree as it is shown. */
export interface TreeRow {
  readonly path: string;
  readonly name: string;
  readonly kind: ProjectEntry['kind'];
  /** 0 at the root. */
  readonly depth: number;
  readonly isOpen: boolean;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function inOrder(a: ProjectEntry, b: ProjectEntry): number {
  const [one, other] = [a.kind === 'folder', b.kind === 'folder'];
  if (one !== other) return one ? -1 : 1;
  return nameOf(a.path).localeCompare(nameOf(b.path), 'en', { numeric: true });
}

/** The rows of a tree with some folders open: folders first, then by name. */
export function treeRows(entries: readonly ProjectEntry[], open: ReadonlySet<string>): TreeRow[] {
  const children = Map.groupBy(entries, ({ path }) => parentOf(path));
  const rows: TreeRow[] = [];
  const add = (parent: string, depth: number): void => {
    for (const { path, kind } of [...(children.get(parent) ?? [])].sort(inOrder)) {
      const isOpen = kind === 'folder' && open.has(path);
      rows.push({ path, name: nameOf(path), kind, depth, isOpen });
      if (isOpen) add(path, depth + 1);
    }
  };
  add('', 0);
  return rows;
}

/** Every folder above a path. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}
