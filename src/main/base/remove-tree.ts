import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from './system-error.ts';

const CLOSED = new Set(['EACCES', 'EPERM', 'ENOTEMPTY']);

/** Makes every folder below a path writable again; links are not followed. */
async function openFolders(dir: string): Promise<void> {
  if (!(await lstat(dir)).isDirectory()) return;
  await chmod(dir, 0o700);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(dir, entry.name));
  }
}

/**
 * Removes a path with all below it, also where a program has left folders that it may not write (as the module cache of
 * Go does). What is not there is no error.
 */
export async function removeTree(path: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 };
  try {
    await rm(path, options);
  } catch (error) {
    if (!CLOSED.has(systemErrorCode(error) ?? '')) throw error;
    await openFolders(path);
    await rm(path, options);
  }
}
