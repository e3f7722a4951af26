import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfinedFolder } from '../../../../../src/main/host/projects/confined.ts';
import { searchFiles } from '../../../../../src/main/host/projects/search-files.ts';
import { tempDir } from '../../../../support/temp.ts';

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it('searches a project without what tools make, and without following links', async () => {
  const root = tempDir();
  const elsewhere = tempDir();
  put(elsewhere, 'secret.txt', 'needle');
  put(root, 'src/bot.py', 'x = 1\n  Needle = "needle"\r\n');
  put(root, 'node_modules/a/index.js', 'needle');
  put(root, '.git/config', 'needle');
  put(root, 'deep/__pycache__/a.pyc', 'needle');
  put(root, '.env', 'KEY=1');
  put(root, 'blob.bin', 'needle\0');
  put(root, '.tmp-12-3', 'needle');
  symlinkSync(elsewhere, join(root, 'out'));
  const folder = new ConfinedFolder(root);
  const find = (text: string, matchCase: boolean, limit = 10) =>
    searchFiles(folder, { text, matchCase, limit }, Date.now);
  expect((await find('NEEDLE', false)).matches).toEqual([
    { path: 'src/bot.py', line: 2, column: 3, length: 6, text: '  Needle = "needle"', offset: 2 },
    { path: 'src/bot.py', line: 2, column: 13, length: 6, text: '  Needle = "needle"', offset: 12 },
  ]);
  expect((await find('Needle', true)).matches).toHaveLength(1);
  expect(await find('needle', false, 1)).toMatchObject({ truncated: true, matches: [{ column: 3 }] });
});
