import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from './system-error.ts';

/** What may mean that a folder is closed or nested too deep. */
const STUBBORN = new Set(['EACCES', 'EPERM', 'ENOTEMPTY', 'ENAMETOOLONG']);
/** Far less than any system takes, so that what lies in a folder of such a path can be named as well. */
const PATH_LENGTH = 1000;

/**
 * Makes every folder below a path writable again, and moves those up whose paths no system call takes: a program can nest
 * them deeper by entering each before it makes the next. Links are not followed.
 */
async function openFolders(root: string): Promise<void> {
  if (!(await lstat(root)).isDirectory()) return;
  const folders = [root];
  let raised = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      let path = join(folder, entry.name);
      if (path.length > root.length + PATH_LENGTH) {
        const higher = join(root, `.raised-${process.pid}-${raised++}`);
        await rename(path, higher);
        path = higher;
      }
      folders.push(path);
    }
  }
}

/**
 * Removes a path with all below it, also what is nested too deep for a path, and where a program has left folders that it
 * may not write (as the module cache of Go does). What is not there is no error.
 */
export async function removeTree(path: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 };
  try {
    await rm(path, options);
  } catch (error) {
    if (!STUBBORN.has(systemErrorCode(error) ?? '')) throw error;
    await openFolders(path);
    await rm(path, options);
  }
}
