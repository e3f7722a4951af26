import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfinedFolder } from '../../../../../src/main/host/projects/confined.ts';
import { searchFiles } from '../../../../../src/main/host/projects/search-files.ts';
import { walkTree } from '../../../../../src/main/host/projects/walk-tree.ts';
import { tempDir } from '../../../../support/temp.ts';

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it('lists a project without what tools make, and without following links', async () => {
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
  expect(await walkTree(root)).toEqual({
    entries: [
      { path: '.env', kind: 'file' },
      { path: 'blob.bin', kind: 'file' },
      { path: 'deep', kind: 'folder' },
      { path: 'out', kind: 'link' },
      { path: 'src', kind: 'folder' },
      { path: 'src/bot.py', kind: 'file' },
    ],
    truncated: false,
  });
});

it('stops listing at its limit and says so', async () => {
  const root = tempDir();
  for (let i = 0; i < 12; i++) put(root, `f${i}.txt`, '');
  expect(await walkTree(root, 10)).toMatchObject({ truncated: true, entries: { length: 10 } });
});

// Other systems store no such names.
it.skipIf(process.platform !== 'linux')('lists names that are no UTF-8 once, since they read as one', async () => {
  const root = tempDir();
  for (const byte of [0xff, 0xfe]) writeFileSync(Buffer.concat([Buffer.from(`${root}/a`), Buffer.of(byte)]), '');
  expect((await walkTree(root)).entries).toEqual([{ path: 'a\ufffd', kind: 'file' }]);
});

it.skipIf(process.platform === 'win32')(
  'lists what it reaches of folders that are too deep for the system',
  async ({ onTestFinished }) => {
    const root = tempDir();
    put(root, 'bot.py', '');
    const part = 'x'.repeat(250);
    const nest = 'for (let i = 0; i < 20; i++) { fs.mkdirSync(process.argv[1]); process.chdir(process.argv[1]); }';
    execFileSync(process.execPath, ['-e', nest, part], { cwd: root });
    onTestFinished(() => void execFileSync('rm', ['-rf', join(root, part)]));
    const { entries, truncated } = await walkTree(root);
    expect(truncated).toBe(true);
    expect(entries.map(({ path }) => path)).toEqual(expect.arrayContaining(['bot.py', part, `${part}/${part}`]));
    const found = await searchFiles(new ConfinedFolder(root), { text: 'x', matchCase: false, limit: 10 }, Date.now);
    expect(found).toEqual({ matches: [], truncated: true });
  },
);
