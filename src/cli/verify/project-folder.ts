import { createReadStream, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { removeTree } from '../../node/remove-tree.ts';
import { unpackPackage } from '../../packaging/unpack.ts';

/**
 * Gives the folder of a project: the one that was named, or that of a package, unpacked for as long as it is used. A package
 * has its dependencies in it already.
 */
export async function withFolder<T>(
  cwd: string,
  given: string,
  use: (dir: string, packed: boolean) => Promise<T>,
): Promise<T> {
  const path = resolve(cwd, given);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return use(given, false);
  const dir = mkdtempSync(join(tmpdir(), 'platform-package-'));
  try {
    await unpackPackage(createReadStream(path), dir);
    return await use(dir, true);
  } finally {
    await removeTree(dir);
  }
}
