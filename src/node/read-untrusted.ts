import type { FileHandle } from 'node:fs/promises';
import { type NoFile, openUntrusted } from './open-untrusted.ts';

const CHUNK = 64 * 1024;

/** The whole content of an open file; null if it is more than `most` bytes. The file's size may change while it is read. */
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

/** The text of a file, or why there is none. */
export type BoundedText = { readonly text: string } | NoFile | 'too large';

/** The text of a regular file that another user may have put there, or why it cannot be read. */
export async function readUntrusted(file: string, most: number): Promise<BoundedText> {
  const handle = await openUntrusted(file);
  if (typeof handle === 'string') return handle;
  try {
    const content = await readAtMost(handle, most);
    return content === null ? 'too large' : { text: content.toString('utf8') };
  } finally {
    await handle.close();
  }
}
