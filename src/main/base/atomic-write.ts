import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

let counter = 0;

/** Name of a temporary file beside its target (wire.md section 4): `.tmp-<pid>-<n>`. */
export function temporaryName(): string {
  counter += 1;
  return `.tmp-${process.pid}-${counter}`;
}

/** Makes a rename durable. Only POSIX lets a folder be flushed; Windows journals the entry itself. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file as a whole: readers see the old or the new content, also after a crash or power cut. The file gets
 * mode 0600. Rejects with the system's error and leaves the old file as it was.
 */
export async function writeFileAtomic(file: string, content: string | Uint8Array): Promise<void> {
  const folder = dirname(file);
  const temporary = join(folder, temporaryName());
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
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
