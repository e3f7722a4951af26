import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import { giveTo, type Owner } from '../../../node/atomic-write.ts';
import { openUntrusted } from '../../../node/open-untrusted.ts';
import { isClosed, systemErrorCode } from '../../../node/system-error.ts';
import { encodeKey, namesOf } from './key-name.ts';

const NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/** A folder of a bot's state that was opened without following a link. */
export interface StateKeyFolder {
  /** Path for use while the folder is open. On Linux it leads to the very folder that was opened. */
  readonly path: string;
  /** Its owner: the host, or the user inside the bot's containers. */
  readonly owner: Owner;
}

function strange(what: string): PlatformError {
  return new PlatformError('INVALID_REQUEST', `${what} and is not read.`, {
    hint: 'Only a folder with regular files is state. Remove what the bot has put there.',
  });
}

function closedFolder(path: string): PlatformError {
  return new PlatformError('INVALID_REQUEST', `The bot has closed the folder of its state to the host: ${path}`, {
    hint: 'Make it readable and writable again, with chmod u+rwx.',
  });
}

const openFolder = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDONLY | NOFOLLOW | (constants.O_DIRECTORY ?? 0));

/** Creates the folder of the keys if missing, with the owner of the state. */
export async function makeKeyFolder(stateDir: string): Promise<void> {
  const path = join(stateDir, '.platform');
  if ((await mkdir(path, { recursive: true, mode: 0o700 })) === undefined || process.platform === 'win32') return;
  const { uid, gid } = await lstat(stateDir);
  const handle = await openFolder(path);
  try {
    await giveTo(handle, { uid, gid });
  } finally {
    await handle.close();
  }
}

/**
 * Calls `use` with the folder of the keys; null when there is none yet. A bot can replace the folder by a link at any
 * time, so it is opened once and, where /proc allows, used through the open descriptor.
 */
export async function withKeyFolder<T>(
  stateDir: string,
  use: (folder: StateKeyFolder) => Promise<T>,
): Promise<T | null> {
  const path = join(stateDir, '.platform');
  let handle: FileHandle;
  try {
    handle = await openFolder(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP' || code === 'ENOTDIR') throw strange('The state folder of this bot is not a plain folder');
    if (isClosed(error)) throw closedFolder(path);
    throw error;
  }
  try {
    const { uid, gid } = await handle.stat();
    return await use({ path: process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path, owner: { uid, gid } });
  } finally {
    await handle.close();
  }
}

/** The file of a key: as its bot has spelled the name, else as our SDKs do. */
export async function fileOf(folder: StateKeyFolder, key: string): Promise<string> {
  const names = namesOf(key);
  for (const name of names.length === 1 ? [] : names) {
    try {
      await lstat(join(folder.path, name));
      return join(folder.path, name);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code !== 'ENOENT' && code !== 'ENAMETOOLONG') throw error;
    }
  }
  return join(folder.path, encodeKey(key));
}

/** Opens a regular file for reading; null when there is none or it is a link or special file. */
export async function openRegular(
  file: string,
): Promise<{ handle: FileHandle; size: number; modifiedMs: number } | null> {
  const handle = await openUntrusted(file);
  if (typeof handle === 'string') return null;
  const { size, mtimeMs } = await handle.stat();
  return { handle, size, modifiedMs: mtimeMs };
}
