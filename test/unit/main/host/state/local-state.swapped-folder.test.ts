import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { planCopy } from '../../../../../src/main/host/engine/process/state-copy.ts';
import { LocalState } from '../../../../../src/main/host/state/local-state.ts';
import { stateFingerprint } from '../../../../../src/main/host/state/state-fingerprint.ts';
import { tempDir } from '../../../../support/temp.ts';

/** What the bot does as soon as the host has read a folder of its state, once. */
const bot = vi.hoisted(() => ({ act: (): void => undefined }));

vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  const readdir = async (...args: Parameters<typeof real.readdir>): Promise<unknown> => {
    const entries = await real.readdir(...args);
    const act = bot.act;
    bot.act = () => undefined;
    act();
    return entries;
  };
  return { ...real, readdir: readdir as typeof real.readdir };
});

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
  bot.act = () => {
    rmSync(join(dir, 'inner'), { recursive: true });
    symlinkSync(outside, join(dir, 'inner'));
  };
});

const onLinux = it.runIf(process.platform === 'linux');

onLinux('a folder that the bot replaces by a link while the host reads lists nothing for a copy', async () => {
  const plan = await planCopy(dir);
  expect([...plan.files.keys()]).toEqual(['own']);
  expect([...plan.folders.keys()]).toEqual(['', 'inner']);
});

onLinux('nor does it count as part of the state', async () => {
  expect(await new LocalState(dir).measure()).toEqual({ bytes: 3, closed: [] });
});

onLinux('nor does its fingerprint tell of files outside', async () => {
  const swap = bot.act;
  const before = await stateFingerprint(dir);
  rmSync(join(dir, 'inner'));
  mkdirSync(join(dir, 'inner'));
  writeFileSync(join(outside, 'another'), '');
  bot.act = swap;
  expect((await stateFingerprint(dir))?.text).toBe(before?.text);
});
