import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { NamedInterpreter } from '../../../../../../src/contract/custom-bot.ts';
import type { UnitSpec } from '../../../../../../src/main/host/engine/engine.ts';
import { Interpreters } from '../../../../../../src/main/host/engine/process/interpreters.ts';
import { commandOf } from '../../../../../../src/main/host/engine/process/program-command.ts';
import { splitJarEntry } from '../../../../../../src/main/host/engine/program-entry.ts';
import { needsOf } from '../../../../../../src/main/host/engine/runtime-needs.ts';
import { knownInterpreter, type RuntimeNeeds } from '../../../../../../src/runtimes/descriptors.ts';
import type { FoundVersion } from '../../../../../../src/runtimes/runtime.ts';
import { tempDir } from '../../../../../support/temp.ts';
import { unitSpec } from '../../../../../support/units.ts';

/** Knows every interpreter by the name of its program: command lines do not depend on what is installed here. */
class KnownInterpreters extends Interpreters {
  override async find({ descriptor }: RuntimeNeeds): Promise<FoundVersion | null> {
    const interpreter = knownInterpreter(descriptor);
    return interpreter === null ? null : { program: `/opt/${interpreter.program}`, version: '1' };
  }
}

let codeDir = '';
beforeEach(() => {
  codeDir = tempDir();
  mkdirSync(join(codeDir, 'build'));
  for (const name of ['main.py', 'app.jar', 'bot.dll', 'build/bot']) writeFileSync(join(codeDir, name), '');
  chmodSync(join(codeDir, 'build/bot'), 0o755);
});

/** An owner has allowed all interpreters, each as a file of this folder. */
const PROGRAMS = {
  known: new KnownInterpreters(),
  named: async (one: NamedInterpreter) => `/allowed/${one.interpreter}`,
};

const command = (runtime: string, entry: string, limits: UnitSpec['limits'] = {}) =>
  commandOf(unitSpec(tempDir(), entry, { runtime, codeDir, limits }), '/runners', PROGRAMS);

describe('command lines of the runtime table', () => {
  it('names the folder for temporary files where the usual one is closed and the interpreter would take no other', async () => {
    const args = async (runtime: string, entry: string): Promise<readonly string[]> =>
      (await commandOf(unitSpec(tempDir(), entry, { runtime, codeDir }), '/runners', PROGRAMS, '/own/tmp')).args;
    expect(await args('java21', 'app.jar')).toEqual(['-Djava.io.tmpdir=/own/tmp', '-jar', 'app.jar']);
    expect(await args('dotnet8', 'bot.dll')).toEqual(['bot.dll']);
  });

  it.each([
    ['python311', 'main.py', '/opt/python3', ['/runners/python_runner.py', 'main.py']],
    ['nodejs20', 'main.py', '/opt/node', ['/runners/node-runner.mjs', 'main.py']],
    ['nodejs24', 'main.py', '/opt/node', ['/runners/node-runner.mjs', 'main.py']],
    ['java21', 'app.jar', '/opt/java', ['-jar', 'app.jar']],
    ['scala3', 'app.jar:com.example.Main', '/opt/java', ['-cp', 'app.jar', 'com.example.Main']],
    ['dotnet8', 'bot.dll', '/opt/dotnet', ['bot.dll']],
  ])('%s %s', async (runtime, entry, program, args) => {
    expect(await command(runtime, entry)).toMatchObject({ program, args });
  });

  it.each(['gcc13', 'rust-stable', 'ghc96', 'binary'])('%s starts the file itself', async (runtime) => {
    expect(await command(runtime, 'build/bot')).toMatchObject({
      program: join(codeDir, 'build/bot'),
      args: [],
      pathDirs: [],
    });
  });

  it.each([
    [{ interpreter: 'awk', arguments: ['-f'] }, '/allowed/awk', ['-f', './main.py']],
    [{ interpreter: 'bash' }, '/allowed/bash', ['./main.py']],
    // Nothing splits or expands an argument.
    [{ interpreter: 'sh', arguments: ['-e -u', '$HOME', '*'] }, '/allowed/sh', ['-e -u', '$HOME', '*', './main.py']],
  ])('the runtime command starts what %j stands for here, and the entry last', async (named, program, args) => {
    const spec = unitSpec(tempDir(), 'main.py', { runtime: 'command', command: named, codeDir });
    expect(await commandOf(spec, '/runners', PROGRAMS)).toMatchObject({ program, args, pathDirs: ['/allowed'] });
  });

  it('takes no entry for an option of its interpreter', async () => {
    writeFileSync(join(codeDir, '-c'), '');
    const spec = unitSpec(tempDir(), '-c', { runtime: 'command', command: { interpreter: 'bash' }, codeDir });
    expect((await commandOf(spec, '/runners', PROGRAMS)).args).toEqual(['./-c']);
  });

  it('refuses a version of the runtime command that names no interpreter', async () => {
    await expect(command('command', 'main.py')).rejects.toMatchObject({ code: 'INVALID_PACKAGE' });
  });

  it('passes a memory limit on to managed heaps', async () => {
    expect((await command('nodejs22', 'main.py', { memoryMb: 200 })).args[0]).toBe('--max-old-space-size=150');
    expect((await command('java21', 'app.jar', { memoryMb: 200 })).args[0]).toBe('-Xmx150m');
  });

  it('splits a jar entry at its last colon', () => {
    expect(splitJarEntry('a:b.jar:x.Main')).toEqual({ file: 'a:b.jar', mainClass: 'x.Main' });
    expect(splitJarEntry('C:\\app.jar')).toEqual({ file: 'C:\\app.jar', mainClass: null });
    expect(splitJarEntry('app.jar')).toEqual({ file: 'app.jar', mainClass: null });
  });

  it('refuses unknown runtimes', () => {
    expect(() => needsOf('python3.11')).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
  });

  it.each(['nowhere.py', 'build', '../main.py', '/etc/passwd', 'main.py/x', 'link.py'])(
    'refuses the entry %s',
    async (entry) => {
      symlinkSync('/etc/passwd', join(codeDir, 'link.py'));
      await expect(command('python311', entry)).rejects.toMatchObject({ code: 'INVALID_PACKAGE' });
    },
  );

  it.skipIf(process.getuid?.() === 0 && process.platform !== 'linux')(
    'refuses a binary that is not executable',
    async () => {
      await expect(command('gcc13', 'main.py')).rejects.toMatchObject({
        code: 'INVALID_PACKAGE',
        message: 'The entry main.py is not executable.',
      });
    },
  );
});
