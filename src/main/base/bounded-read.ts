import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemErrorCode } from './system-error.ts';

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const CHUNK = 64 * 1024;

/**
 * A file that somebody else may have put there, opened without following a link or waiting for a writer. `strange`: it is
 * a link, or none that can be read.
 */
export async function openStrangers(file: string): Promise<FileHandle | 'missing' | 'strange'> {
  let handle: FileHandle;
  try {
    handle = await open(file, FLAGS);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return 'missing';
    if (code === 'ELOOP' || code === 'ENXIO') return 'strange';
    throw error;
  }
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return 'strange';
}

/** All that an open file holds, null when that is more than `most` bytes: its size may change while it is read. */
export async function readAtMost(handle: FileHandle, most: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let size = 0;
  while (size <= most) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(Math.min(CHUNK, most + 1 - size)), 0);
    if (bytesRead === 0) return Buffer.concat(parts, size);
    parts.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
  return null;
}

/** The text of a regular file that somebody else may have put there, or why there is none. */
export async function readBounded(
  file: string,
  most: number,
): Promise<{ readonly text: string } | 'missing' | 'strange' | 'too large'> {
  const handle = await openStrangers(file);
  if (typeof handle === 'string') return handle;
  try {
    const content = await readAtMost(handle, most);
    return content === null ? 'too large' : { text: content.toString('utf8') };
  } finally {
    await handle.close();
  }
}
