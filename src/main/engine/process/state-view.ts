import { constants, type Dirent } from 'node:fs';
import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/system-error.ts';

/** Larger states are not copied for a query: the run then sees the real folder and only the SDK refuses writes. */
export const STATE_COPY_BYTES = 50 * 1024 * 1024;
const STATE_COPY_FILES = 10_000;

interface Plan {
  readonly folders: string[];
  readonly files: string[];
}

/** A bot may change its state while we look: what is gone by then is not part of the view. */
async function orGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return null;
    throw error;
  }
}

/** What to copy, or null when it is too much. Links and special files are left out, and so are unfinished writes. */
async function planCopy(root: string): Promise<Plan | null> {
  const plan: Plan = { folders: [''], files: [] };
  let bytes = 0;
  for (let at = 0; at < plan.folders.length; at++) {
    const folder = plan.folders[at] ?? '';
    const entries: Dirent[] = (await orGone(readdir(join(root, folder), { withFileTypes: true }))) ?? [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) plan.folders.push(path);
      if (!entry.isFile() || entry.name.startsWith('.tmp-')) continue;
      bytes += (await orGone(lstat(join(root, path))))?.size ?? 0;
      plan.files.push(path);
      if (bytes > STATE_COPY_BYTES || plan.files.length > STATE_COPY_FILES) return null;
    }
    if (plan.folders.length > STATE_COPY_FILES) return null;
  }
  return plan;
}

/**
 * The state folder for a query run: a private copy, so that nothing the query program does reaches the bot's state
 * (wire.md section 5). Each file is replaced by a rename, so a copy holds the old or the new value of a key, never a
 * mix. Returns the real folder when there is too much to copy.
 */
export async function stateView(stateDir: string, target: string): Promise<string> {
  const plan = await planCopy(stateDir);
  if (plan === null) return stateDir;
  for (const folder of plan.folders) await mkdir(join(target, folder), { recursive: true, mode: 0o700 });
  await mkdir(join(target, '.platform'), { recursive: true, mode: 0o700 });
  for (const file of plan.files) {
    await orGone(copyFile(join(stateDir, file), join(target, file), constants.COPYFILE_FICLONE));
  }
  return target;
}
