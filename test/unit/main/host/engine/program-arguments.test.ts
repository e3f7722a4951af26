import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkEntry,
  interpreterArgs,
  needsOf,
  splitJarEntry,
} from '../../../../../src/main/host/engine/program-arguments.ts';
import { RUNTIME_IDS } from '../../../../../src/runtimes/names.ts';
import { tempDir } from '../../../../support/temp.ts';
import { unitSpec } from '../../../../support/units.ts';

const runner = (file: string): string => `/runners/${file}`;

describe('what a runtime needs', () => {
  it('is known of each', () => {
    for (const id of RUNTIME_IDS) expect(Object.keys(needsOf(id).descriptor.summary.runtimes)).toContain(id);
  });

  it.each(['python2', 'toString', ''])('is refused for %j with those that there are', (runtime) => {
    expect(() => needsOf(runtime)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', hint: expect.stringContaining('python311, nodejs20') }),
    );
  });
});

it.each([
  ['app.jar', 'app.jar', null],
  ['app.jar:my.Main', 'app.jar', 'my.Main'],
  ['a:b.jar:Main', 'a:b.jar', 'Main'],
  ['C:\\app.jar', 'C:\\app.jar', null],
  ['C:\\app.jar:Main', 'C:\\app.jar', 'Main'],
])('%s is the jar %s with the class %s', (entry, jar, main) => {
  expect(splitJarEntry(entry)).toEqual({ file: jar, mainClass: main });
});

it.each([
  ['python311', 'a.py', 100, ['/runners/python_runner.py', 'a.py']],
  ['nodejs24', 'a.mjs', undefined, ['/runners/node-runner.mjs', 'a.mjs']],
  ['nodejs24', 'a.mjs', 100, ['--max-old-space-size=75', '/runners/node-runner.mjs', 'a.mjs']],
  ['nodejs24', 'a.mjs', 16, ['--max-old-space-size=16', '/runners/node-runner.mjs', 'a.mjs']],
  ['java21', 'a.jar', 400, ['-Xmx300m', '-jar', 'a.jar']],
  ['scala3', 'a.jar:Main', undefined, ['-cp', 'a.jar', 'Main']],
  ['dotnet8', 'a.dll', 100, ['a.dll']],
  ['ghc96', 'bot', 100, []],
] as const)('%s %s with %s MB is given %j', (runtime, entry, memoryMb, args) => {
  const limits = memoryMb === undefined ? {} : { memoryMb };
  const spec = unitSpec(tempDir(), entry, { runtime, limits });
  expect(interpreterArgs(spec, needsOf(runtime), runner)).toEqual(args);
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
