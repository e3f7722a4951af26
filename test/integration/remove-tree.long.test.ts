import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeTree } from '../../src/node/remove-tree.ts';
import { tempDir } from '../support/temp.ts';

const NOBODY = 65_534;

/** Root may write anywhere, so an ordinary user does the work. This file is a process of its own. */
async function asOrdinaryUser(dir: string, work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) {
    chownSync(dir, NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
  }
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

it.skipIf(process.platform === 'win32')('removes folders that a program has closed, and follows no link', async () => {
  const root = tempDir();
  chmodSync(root, 0o755);
  const other = join(root, 'other');
  const dir = join(root, 'run');
  await asOrdinaryUser(root, async () => {
    mkdirSync(join(other, 'kept'), { recursive: true });
    chmodSync(other, 0o555);
    mkdirSync(join(dir, 'cache/mod/deep'), { recursive: true });
    writeFileSync(join(dir, 'cache/mod/deep/file'), 'x', { mode: 0o444 });
    symlinkSync(other, join(dir, 'cache/link'));
    for (const closed of ['cache/mod/deep', 'cache/mod', 'cache']) chmodSync(join(dir, closed), 0o555);
    await expect(rm(dir, { recursive: true, force: true })).rejects.toMatchObject({ code: 'EACCES' });
    await removeTree(dir);
    expect(existsSync(dir)).toBe(false);
    expect(existsSync(join(other, 'kept'))).toBe(true);
    await removeTree(dir);
    chmodSync(other, 0o755);
  });
});

it.skipIf(process.platform === 'win32')('removes folders that are nested too deep for a path', async () => {
  const dir = join(tempDir(), 'run');
  mkdirSync(dir);
  // Only a process that enters each folder can make such a tree.
  const dig = 'import os\nfor i in range(1500):\n  os.mkdir("deep-enough"); os.chdir("deep-enough")\nopen("file", "w")';
  execFileSync('python3', ['-c', dig], { cwd: dir });
  await expect(rm(dir, { recursive: true, force: true })).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  await removeTree(dir);
  expect(existsSync(dir)).toBe(false);
});

it.skipIf(process.platform === 'win32')('takes what somebody else removes at the same moment for removed', async () => {
  const root = tempDir();
  chmodSync(root, 0o755);
  await asOrdinaryUser(root, async () => {
    for (let round = 0; round < 20; round++) {
      const dir = join(root, `run ${round}`);
      for (let number = 0; number < 40; number++) {
        mkdirSync(join(dir, `closed ${number}/below`), { recursive: true });
        chmodSync(join(dir, `closed ${number}`), 0o555);
      }
      // Each begins a little later than the one before.
      const removals: Promise<void>[] = [];
      for (let begun = 0; begun < 40; begun++) {
        removals.push(removeTree(dir));
        for (let step = 0; step < begun; step++) await stat(root);
      }
      await Promise.all(removals);
      expect(existsSync(dir)).toBe(false);
    }
  });
});
