import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitLeft, readExitFile } from '../../../../../../src/main/host/engine/process/exit-file.ts';
import { exitOf } from '../../../../../../src/main/host/engine/read-exit-code.ts';
import { tempDir } from '../../../../../support/temp.ts';

describe('how a program ended', () => {
  it.each([
    [0, 0, null],
    [7, 7, null],
    [128, 128, null],
    [134, null, 'SIGABRT'],
    [137, null, 'SIGKILL'],
    [139, null, 'SIGSEGV'],
    [143, null, 'SIGTERM'],
    [255, 255, null],
  ])('code %i of the launcher', (code, exitCode, signal) => {
    expect(exitOf(code, 5)).toEqual({ exitCode, signal, endedAt: 5 });
  });

  it('is read from the exit file, with the time it was written', () => {
    const file = join(tempDir(), 'bot.exit');
    writeFileSync(file, '143\n');
    utimesSync(file, 1000, 1000);
    expect(readExitFile(file)).toEqual({ exitCode: null, signal: 'SIGTERM', endedAt: 1_000_000 });
  });

  it.each(['', '14', '1\n2\n', 'x\n', '1000\n'])('is unknown from %j', (text) => {
    const file = join(tempDir(), 'bot.exit');
    writeFileSync(file, text);
    expect(readExitFile(file)).toBeNull();
  });

  it('is unknown without a file, and not read through a link', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'other'), '0\n');
    symlinkSync(join(dir, 'other'), join(dir, 'bot.exit'));
    expect(() => readExitFile(join(dir, 'bot.exit'))).toThrow('not a plain file');
    expect(readExitFile(join(dir, 'none'))).toBeNull();
  });

  it('is what was seen otherwise when something else stands in place of the file, and that is reported', () => {
    const folder = join(tempDir(), 'bot.exit');
    mkdirSync(folder);
    expect(() => readExitFile(folder)).toThrow('not a plain file');
    const unseen = { exitCode: null, signal: 'SIGKILL', endedAt: 5 };
    const reported: string[] = [];
    expect(exitLeft(folder, unseen, (message) => reported.push(message))).toEqual(unseen);
    expect(reported).toEqual([`The exit status in ${folder} could not be read`]);
    expect(exitLeft(`${folder}.none`, unseen, (message) => reported.push(message))).toEqual(unseen);
    expect(reported).toHaveLength(1);
  });
});
