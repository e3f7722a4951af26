import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { invalid } from '../contract/errors.ts';

const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Limit of a file that is read whole: lock files of large projects take a few MiB. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Text of a project's file; null when there is none. Throws INVALID_PACKAGE for anything but a plain file: a pipe could
 * block, and a device never end.
 */
export async function readPlainFile(file: string): Promise<string | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, FLAGS);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  }
  try {
    const stats = await handle.stat();
    if (stats.isFile() && stats.size <= MOST_BYTES) return await handle.readFile('utf8');
    const message = stats.isFile() ? `has more than ${MOST_BYTES / 2 ** 20} MiB` : 'is no file';
    throw invalid('INVALID_PACKAGE', [{ path: basename(file), message, hint: 'Replace it by a file of text.' }]);
  } finally {
    await handle.close();
  }
}
