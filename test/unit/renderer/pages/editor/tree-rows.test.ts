import { expect, it } from 'vitest';
import { treeRows } from '../../../../../src/renderer/pages/editor/tree-rows.ts';

it('shows folders first, in the order people count, and what is in those that are open', () => {
  const entries = ['b.py', 'a10.py', 'a2.py', 'src', 'src/x.py'].map((path) => ({
    path,
    kind: path === 'src' ? ('folder' as const) : ('file' as const),
  }));
  const shown = (open: string[]): string[] => treeRows(entries, new Set(open)).map(({ path }) => path);
  expect(shown([])).toEqual(['src', 'a2.py', 'a10.py', 'b.py']);
  expect(shown(['src'])).toEqual(['src', 'src/x.py', 'a2.py', 'a10.py', 'b.py']);
});
