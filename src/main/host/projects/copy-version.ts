import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { invalid } from '../../../contract/errors.ts';
import { openUntrusted } from '../../../node/open-untrusted.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { isOwnFile, publishedPaths } from './compare-with-published.ts';

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

async function checkEmpty(dir: string): Promise<void> {
  try {
    if ((await stat(dir)).isDirectory() && (await readdir(dir)).length === 0) return;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  const hint = 'Choose another folder; nothing is ever overwritten.';
  throw invalid('INVALID_REQUEST', [{ path: dir, message: 'is not empty', hint }]);
}

/** Copies one file of a version, which is read-only, as one that its new owner may write. */
async function copyFile(from: string, to: string): Promise<void> {
  // A bot that runs as this user could have put a link there.
  const source = await openUntrusted(from);
  if (typeof source === 'string') throw new Error(`${from} is no regular file any more`);
  try {
    const { mode } = await source.stat();
    await mkdir(dirname(to), { recursive: true });
    const target = await open(to, NEW, (mode & 0o111) === 0 ? 0o644 : 0o755);
    await pipeline(source.createReadStream({ autoClose: false }), target.createWriteStream());
  } finally {
    await source.close();
  }
}

/**
 * Copies the author's own files of a published version into a folder that is empty or not there; dependencies come back when
 * it is run or published. Throws INVALID_REQUEST where the folder holds anything, and leaves an empty one where it fails.
 */
export async function copyVersion(codeDir: string, dir: string): Promise<void> {
  await checkEmpty(dir);
  await mkdir(dir, { recursive: true });
  try {
    for (const path of (await publishedPaths(codeDir)).filter(isOwnFile)) {
      await copyFile(join(codeDir, path), join(dir, path));
    }
  } catch (error) {
    for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true, force: true });
    throw error;
  }
}
