import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../../../src/node/atomic-write.ts';
import { tempDir } from '../../support/temp.ts';

describe('writeFileAtomic', () => {
  it('replaces a file as a whole, for its owner alone', async () => {
    const file = join(tempDir(), 'value');
    writeFileSync(file, 'old', { mode: 0o644 });
    await writeFileAtomic(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('leaves the old content and no rest behind when it fails', async () => {
    const dir = tempDir();
    mkdirSync(join(dir, 'taken'));
    writeFileSync(join(dir, 'taken', 'inside'), '');
    await expect(writeFileAtomic(join(dir, 'taken'), 'x')).rejects.toThrow();
    expect(readdirSync(dir)).toEqual(['taken']);
    await expect(writeFileAtomic(join(dir, 'nowhere', 'x'), 'x')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('never shows a reader half a value, with many writers at once', async () => {
    const file = join(tempDir(), 'value');
    const values = Array.from({ length: 20 }, (_, n) => String(n).repeat(50_000));
    await writeFileAtomic(file, values[0] ?? '');
    const seen = new Set<string>();
    let writing = true;
    const writes = Promise.all(values.map((value) => writeFileAtomic(file, value))).finally(() => {
      writing = false;
    });
    while (writing) {
      seen.add(readFileSync(file, 'utf8'));
      await new Promise((next) => setImmediate(next));
    }
    await writes;
    expect([...seen].filter((value) => !values.includes(value))).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
  });
});
