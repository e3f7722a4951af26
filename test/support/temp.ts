import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../src/node/remove-tree.ts';
import { atFileEnd } from './file-end.ts';

const made: string[] = [];

// Of the file, not of the test: with concurrent tests the owner of a folder is unknown after an await. Tests leave
// folders that refuse removal, as bots and archives of other makers do.
atFileEnd(async () => {
  await Promise.all(made.splice(0).map(removeTree));
});

/** A fresh folder, removed when the tests of this file are done. */
export function tempDir(name = 'platform-test-'): string {
  const dir = mkdtempSync(join(tmpdir(), name));
  made.push(dir);
  return dir;
}
