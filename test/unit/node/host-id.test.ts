import { cpSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostIdOf } from '../../../src/node/host-id.ts';
import { tempDir } from '../../support/temp.ts';

describe('the id of a data folder', () => {
  it('stays, by whatever path it is reached', () => {
    const dir = tempDir();
    const id = hostIdOf(dir);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(hostIdOf(dir)).toBe(id);
    const link = join(tempDir(), 'link');
    symlinkSync(dir, link);
    expect(hostIdOf(link)).toBe(id);
  });

  it('is no other folder’s: not that of a copy, nor that of the same path elsewhere', () => {
    const dir = join(tempDir(), 'data');
    cpSync(tempDir(), dir, { recursive: true });
    const id = hostIdOf(dir);
    const copy = join(tempDir(), 'copy');
    cpSync(dir, copy, { recursive: true });
    expect(hostIdOf(copy)).not.toBe(id);
    renameSync(dir, `${dir}.old`);
    cpSync(tempDir(), dir, { recursive: true });
    expect(hostIdOf(dir)).not.toBe(id);
  });

  it('is made from a secret that only its user can read and that is not the id', () => {
    const dir = tempDir();
    const id = hostIdOf(dir);
    const file = join(dir, 'host-id');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    const secret = readFileSync(file, 'utf8');
    expect(secret).toMatch(/^[0-9a-f]{32}$/);
    expect(id).not.toContain(secret);
    writeFileSync(file, 'another');
    expect(hostIdOf(dir)).not.toBe(id);
  });
});
