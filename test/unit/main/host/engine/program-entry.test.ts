import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkEntry, splitJarEntry } from '../../../../../src/main/host/engine/program-entry.ts';
import { needsOf } from '../../../../../src/main/host/engine/runtime-needs.ts';
import { tempDir } from '../../../../support/temp.ts';
import { unitSpec } from '../../../../support/units.ts';

it.each([
  ['app.jar', 'app.jar', null],
  ['app.jar:my.Main', 'app.jar', 'my.Main'],
  ['a:b.jar:Main', 'a:b.jar', 'Main'],
  ['C:\\app.jar', 'C:\\app.jar', null],
  ['C:\\app.jar:Main', 'C:\\app.jar', 'Main'],
])('%s is the jar %s with the class %s', (entry, jar, main) => {
  expect(splitJarEntry(entry)).toEqual({ file: jar, mainClass: main });
});

describe('the entry of a bot', () => {
  const codeDir = tempDir('entries-');
  mkdirSync(join(codeDir, 'folder'));
  writeFileSync(join(codeDir, 'bot'), '');
  chmodSync(join(codeDir, 'bot'), 0o755);
  writeFileSync(join(codeDir, 'text'), '', { mode: 0o644 });
  writeFileSync(join(codeDir, 'app.jar'), '');
  symlinkSync('/bin/sh', join(codeDir, 'link'));
  const check = (entry: string, runtime = 'gcc13') =>
    checkEntry(unitSpec(tempDir(), entry, { runtime, codeDir }), needsOf(runtime));

  it('is there', async () => {
    await check('bot');
    await check('folder/../bot');
    await check('text', 'python311');
    await check('app.jar:Main', 'java21');
  });

  it.each([
    ['none', 'gcc13', 'does not exist'],
    ['text/inside', 'gcc13', 'does not exist'],
    ['folder', 'gcc13', 'is not a regular file'],
    ['link', 'gcc13', 'is not a regular file'],
    ['../bot', 'gcc13', "lies outside the bot's package"],
    ['folder/../../bot', 'gcc13', "lies outside the bot's package"],
    ['/bin/sh', 'gcc13', "lies outside the bot's package"],
    ['other.jar:Main', 'java21', 'The entry other.jar does not exist'],
  ])('%s of %s is refused: %s', async (entry, runtime, why) => {
    await expect(check(entry, runtime)).rejects.toMatchObject({
      code: 'INVALID_PACKAGE',
      message: expect.stringContaining(why),
    });
  });

  // Root may look at everything, so that only the missing bit can be told.
  it.skipIf(process.platform === 'win32')('is refused when it cannot be executed', async () => {
    await expect(check('text')).rejects.toMatchObject({ hint: expect.stringContaining('chmod +x') });
  });
});
