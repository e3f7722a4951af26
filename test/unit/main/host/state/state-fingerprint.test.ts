import { mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type StateFingerprint, stateFingerprint } from '../../../../../src/main/host/state/state-fingerprint.ts';
import { tempDir } from '../../../../support/temp.ts';
import { until } from '../../../../support/until.ts';

function stateOf(files: Record<string, string>): string {
  const dir = tempDir('state-fingerprint-');
  mkdirSync(join(dir, '.platform/deep'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

const settled = (dir: string): Promise<StateFingerprint> =>
  until('the state to settle', async () => {
    const fingerprint = await stateFingerprint(dir);
    return fingerprint?.settled === true ? fingerprint : null;
  });

const CHANGES: Record<string, (dir: string) => void> = {
  'another value of the same size': (dir) => writeFileSync(join(dir, '.platform/a.json'), '2'),
  'the same value written again': (dir) => writeFileSync(join(dir, '.platform/a.json'), '1'),
  'a value that takes the place of another': (dir) => {
    writeFileSync(join(dir, '.platform/.tmp-1-1'), '2');
    renameSync(join(dir, '.platform/.tmp-1-1'), join(dir, '.platform/a.json'));
  },
  'a new file': (dir) => writeFileSync(join(dir, 'new'), ''),
  'a new file in a folder': (dir) => writeFileSync(join(dir, '.platform/deep/new'), ''),
  'a new folder': (dir) => mkdirSync(join(dir, '.platform/deep/new')),
  'a folder that is gone': (dir) => rmdirSync(join(dir, '.platform/deep')),
  'another name of a folder': (dir) => renameSync(join(dir, '.platform/deep'), join(dir, '.platform/flat')),
  'a file that is gone': (dir) => rmSync(join(dir, 'own.txt')),
  'another name': (dir) => renameSync(join(dir, 'own.txt'), join(dir, 'other.txt')),
  'a change that is dated back': (dir) => {
    writeFileSync(join(dir, 'own.txt'), 'eno');
    utimesSync(join(dir, 'own.txt'), 1, 1);
  },
};

it.each(Object.entries(CHANGES))('tells of %s', async (_, change) => {
  const dir = stateOf({ '.platform/a.json': '1', 'own.txt': 'one' });
  utimesSync(join(dir, 'own.txt'), 1, 1);
  const before = await settled(dir);
  expect((await stateFingerprint(dir))?.text).toBe(before.text);
  change(dir);
  expect((await stateFingerprint(dir))?.text).not.toBe(before.text);
});

it('is not settled right after a change', async () => {
  const dir = stateOf({ 'own.txt': 'one' });
  await settled(dir);
  writeFileSync(join(dir, 'own.txt'), 'two');
  expect((await stateFingerprint(dir))?.settled).toBe(false);
});

it('is the same for a folder that is not there and one without anything', async () => {
  const none = await stateFingerprint(join(tempDir(), 'none'));
  expect(none).toMatchObject({ settled: true });
  const dir = tempDir();
  expect((await stateFingerprint(dir))?.text).toBe(none?.text);
  // The start of a program makes it.
  mkdirSync(join(dir, '.platform'));
  expect((await stateFingerprint(dir))?.text).toBe(none?.text);
});

it('gives up on too many files and on links', async () => {
  const many = stateOf(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`file-${n}`, ''])));
  expect(await stateFingerprint(many, 10)).toBeNull();
  expect(await stateFingerprint(many, 30)).not.toBeNull();
  const linked = stateOf({});
  symlinkSync('/etc/passwd', join(linked, 'link'));
  expect(await stateFingerprint(linked)).toBeNull();
});
