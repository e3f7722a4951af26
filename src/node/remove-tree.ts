import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from './system-error.ts';

/** Errors that may mean that a folder is closed or nested too deep. */
const STUBBORN = new Set(['EACCES', 'EPERM', 'ENOTEMPTY', 'ENAMETOOLONG']);
/** Far below the limit of every system, so that the entries of a folder with such a path can be named too. */
const PATH_LENGTH = 1000;

/** Another process may remove the same tree at the same moment: a missing entry is the goal. */
async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Makes every folder below a path writable again, and moves those up whose paths no system call takes: a program can nest
 * them deeper by entering each before it makes the next. Links are not followed.
 */
async function openFolders(root: string): Promise<void> {
  if ((await unlessGone(lstat(root)))?.isDirectory() !== true) return;
  const folders = [root];
  let raised = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    await unlessGone(chmod(folder, 0o700));
    for (const entry of (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? []) {
      if (!entry.isDirectory()) continue;
      let path = join(folder, entry.name);
      if (path.length > root.length + PATH_LENGTH) {
        const higher = join(root, `.raised-${process.pid}-${raised++}`);
        await unlessGone(rename(path, higher));
        path = higher;
      }
      folders.push(path);
    }
  }
}

/**
 * Removes a path with everything below it, also nesting too deep for a path and folders without write permission (Go's
 * module cache has such). A missing path is no error.
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
