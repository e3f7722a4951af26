import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atFileEnd } from './file-end.ts';

const made: string[] = [];

// Of the file, not of the test: with tests that run at once nobody can tell whose folder one is after an await.
atFileEnd(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

/** A fresh folder, removed when the tests of this file are done. */
export function tempDir(name = 'platform-test-'): string {
  const dir = mkdtempSync(join(tmpdir(), name));
  made.push(dir);
  return dir;
}
