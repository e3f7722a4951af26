import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

let counter = 0;

/** Name of a temporary file beside its target: `.tmp-<pid>-<n>`. */
export function temporaryName(): string {
  counter += 1;
  return `.tmp-${process.pid}-${counter}`;
}

/** Makes a rename durable. Only POSIX lets a folder be flushed; Windows journals the entry itself. */
export async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Owner of a file. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Changes the owner of an open file or folder. Only root may: for any other user the owner stays. */
export async function giveTo(handle: FileHandle, { uid, gid }: Owner): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const now = await handle.stat();
  if (now.uid !== uid || now.gid !== gid) await handle.chown(uid, gid);
}

/**
 * Replaces a file as a whole: readers see the old or the new content, also after a crash or power cut. The file gets
 * mode 0600, and belongs to `owner` where this process may say so. Rejects with the system's error and leaves the old
 * file as it was.
 */
export async function writeFileAtomic(file: string, content: string | Uint8Array, owner?: Owner): Promise<void> {
  const folder = dirname(file);
  const temporary = join(folder, temporaryName());
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
      if (owner !== undefined) await giveTo(handle, owner);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushFolder(folder);
}
