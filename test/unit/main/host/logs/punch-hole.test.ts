import { closeSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { punchHole } from '../../../../../src/main/host/logs/punch-hole.ts';
import { tempDir } from '../../../../support/temp.ts';

const MIB = 1024 * 1024;

function punched(fd: number, from: number, to: number): Promise<string | null> {
  return new Promise((done) => punchHole(fd, from, to, done));
}

function output(file: string, text: string): number {
  writeFileSync(file, text.repeat(MIB));
  const fd = openSync(file, 'r');
  onTestFinished(() => closeSync(fd));
  return fd;
}

describe.runIf(process.platform === 'linux')('space of consumed output', () => {
  it('is given back, and nothing else of the file changes', async () => {
    const file = join(tempDir('punch-'), 'bot.out');
    const fd = output(file, 'line');
    const before = statSync(file).blocks;
    expect(await punched(fd, 0, 3 * MIB)).toBeNull();
    expect(statSync(file).size).toBe(4 * MIB);
    expect(statSync(file).blocks).toBeLessThan(before / 2);
    expect(
      readFileSync(file)
        .subarray(3 * MIB)
        .toString(),
    ).toBe('line'.repeat(MIB / 4));
  });

  it('is never taken from another file that has come to lie at the same path', async () => {
    const dir = tempDir('punch-');
    const file = join(dir, 'bot.out');
    const fd = output(file, 'line');
    const given = punched(fd, 0, 3 * MIB);
    renameSync(file, join(dir, 'old.out'));
    writeFileSync(file, 'next'.repeat(MIB));
    expect(await given).toBeNull();
    expect(readFileSync(file, 'utf8')).toBe('next'.repeat(MIB));
  });

  it('says what is wrong when it cannot be given back', async () => {
    const fd = output(join(tempDir('punch-'), 'bot.out'), 'line');
    expect(await punched(fd, 0, 0)).toContain('length');
  });
});
