import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../base/system-error.ts';

/** How many files are looked at together: enough to keep the disk busy, few enough to leave the thread pool usable. */
export const BATCH = 64;

/** A bot may remove files while we look. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return null;
    throw error;
  }
}

/** Bytes of all regular files below a folder; links are neither followed nor counted. */
export async function folderBytes(root: string): Promise<number> {
  const folders = [root];
  let bytes = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const at = folder;
    const entries: Dirent[] = (await orNull(readdir(at, { withFileTypes: true }))) ?? [];
    const files: string[] = [];
    for (const entry of entries) {
      if (entry.isDirectory()) folders.push(join(at, entry.name));
      else if (entry.isFile()) files.push(join(at, entry.name));
    }
    for (let from = 0; from < files.length; from += BATCH) {
      const stats = await Promise.all(files.slice(from, from + BATCH).map((file) => orNull(lstat(file))));
      for (const stat of stats) bytes += stat?.size ?? 0;
    }
  }
  return bytes;
}
