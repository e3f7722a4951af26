import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planCopy } from '../../../../../src/main/host/engine/process/state-copy.ts';
import { LocalState } from '../../../../../src/main/host/state/local-state.ts';
import { stateFingerprint } from '../../../../../src/main/host/state/state-fingerprint.ts';
import { tempDir } from '../../../../support/temp.ts';

/** Has the bot act as soon as the host has read a folder of its state, once. Files of this project share modules: no module is mocked. */
const { readdir } = fs;
function once(act: () => void): void {
  const patched = async (...args: Parameters<typeof readdir>): Promise<unknown> => {
    const entries = await readdir(...args);
    restore();
    act();
    return entries;
  };
  fs.readdir = patched as typeof readdir;
  syncBuiltinESMExports();
}
function restore(): void {
  fs.readdir = readdir;
  syncBuiltinESMExports();
}
afterEach(restore);

let dir = '';
let outside = '';
beforeEach(() => {
  const root = tempDir();
  dir = join(root, 'state');
  outside = join(root, 'outside');
  mkdirSync(join(dir, 'inner'), { recursive: true });
  mkdirSync(join(outside, 'deep'), { recursive: true });
  writeFileSync(join(dir, 'own'), 'own');
  writeFileSync(join(outside, 'secret'), 'secret');
  writeFileSync(join(outside, 'deep', 'secret'), 'secret');
  once(swap);
});

function swap(): void {
  rmSync(join(dir, 'inner'), { recursive: true });
  symlinkSync(outside, join(dir, 'inner'));
}

/** The folder was replaced while the host read. */
const isSwapped = (): boolean => lstatSync(join(dir, 'inner')).isSymbolicLink();

const onLinux = it.runIf(process.platform === 'linux');

onLinux('a folder that the bot replaces by a link while the host reads lists nothing for a copy', async () => {
  const plan = await planCopy(dir);
  expect(isSwapped()).toBe(true);
  expect([...plan.files.keys()]).toEqual(['own']);
  expect([...plan.folders.keys()]).toEqual(['', 'inner']);
});

onLinux('nor does it count as part of the state', async () => {
  expect(await new LocalState(dir).measure()).toEqual({ bytes: 3, closed: [] });
  expect(isSwapped()).toBe(true);
});

onLinux('nor does its fingerprint tell of files outside', async () => {
  const before = await stateFingerprint(dir);
  expect(isSwapped()).toBe(true);
  rmSync(join(dir, 'inner'));
  mkdirSync(join(dir, 'inner'));
  writeFileSync(join(outside, 'another'), '');
  once(swap);
  expect((await stateFingerprint(dir))?.text).toBe(before?.text);
});
