import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFolderBeneath } from '../../../node/open-untrusted.ts';
import { isClosed, systemErrorCode } from '../../../node/system-error.ts';

/**
 * Number of files that are read at the same time: enough to keep the disk busy, few enough to leave the thread pool
 * usable.
 */
export const BATCH = 64;

/** Awaits work on a path; null if the path is gone, because a bot may remove files meanwhile. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return null;
    throw error;
  }
}

/** Returns the bytes of the files directly in a folder, and the names of the folders in it. */
async function measureFolder(at: string): Promise<{ readonly bytes: number; readonly below: string[] }> {
  const entries: Dirent[] = (await orNull(readdir(at, { withFileTypes: true }))) ?? [];
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(at, name));
  let bytes = 0;
  for (let from = 0; from < files.length; from += BATCH) {
    const stats = await Promise.all(files.slice(from, from + BATCH).map((file) => orNull(lstat(file))));
    for (const stat of stats) bytes += stat?.size ?? 0;
  }
  return { bytes, below };
}

/**
 * Returns the bytes of all regular files below a folder; links are neither followed nor counted. `closed`: folders that
 * this user may not read and that are not counted, as paths below the folder.
 */
export async function folderBytes(root: string): Promise<{ readonly bytes: number; readonly closed: string[] }> {
  const folders = [''];
  const closed: string[] = [];
  let bytes = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      const measured = await orNull(readFolderBeneath(root, folder, measureFolder));
      bytes += measured?.bytes ?? 0;
      folders.push(...(measured?.below ?? []).map((name) => join(folder, name)));
    } catch (error) {
      if (!isClosed(error)) throw error;
      closed.push(folder);
    }
  }
  return { bytes, closed: closed.sort() };
}
