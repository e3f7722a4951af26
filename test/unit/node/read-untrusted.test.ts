import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readUntrusted } from '../../../src/node/read-untrusted.ts';
import { tempDir } from '../../support/temp.ts';

describe('a file that a bot may have put there', () => {
  it.each([
    [0, ''],
    [10, 'x'.repeat(10)],
    [200_000, 'ü'.repeat(100_000)],
  ])('is read up to %i bytes', async (most, text) => {
    const file = join(tempDir(), 'file');
    writeFileSync(file, text);
    expect(await readUntrusted(file, most)).toEqual({ text });
    writeFileSync(file, `${text}x`);
    expect(await readUntrusted(file, most)).toBe('too large');
  });

  it.runIf(process.platform === 'linux')('is not believed when it says how large it is', async () => {
    expect(statSync('/proc/self/smaps').size).toBe(0);
    expect(await readUntrusted('/proc/self/smaps', 100)).toBe('too large');
  });

  it('may be missing', async () => {
    expect(await readUntrusted(join(tempDir(), 'none'), 10)).toBe('missing');
  });

  it.skipIf(process.platform === 'win32')('is not followed, and not waited for', async () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'file'), 'secret');
    symlinkSync(join(dir, 'file'), join(dir, 'link'));
    mkdirSync(join(dir, 'folder'));
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    for (const name of ['link', 'folder', 'pipe']) expect(await readUntrusted(join(dir, name), 10)).toBe('strange');
  });
});
