import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from './system-error.ts';

/** Follows no link, and never blocks on a pipe. */
const CAREFUL = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Errors of a link, a pipe without a reader, a socket, a folder, an unreadable file. */
const STRANGE = new Set(['ELOOP', 'ENXIO', 'EOPNOTSUPP', 'ENOTSUP', 'EISDIR', 'EACCES', 'EPERM']);

/** Reason why a file was not opened. `strange`: it is a link, not a regular file, or this user may not read it. */
export type NoFile = 'missing' | 'strange';

function reasonOf(error: unknown): NoFile {
  const code = systemErrorCode(error) ?? '';
  if (code === 'ENOENT' || code === 'ENAMETOOLONG') return 'missing';
  if (STRANGE.has(code)) return 'strange';
  throw error;
}

/**
 * Opens a file that another program may have put there for reading, without following a link or waiting for a writer.
 */
export async function openUntrusted(file: string): Promise<FileHandle | NoFile> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | CAREFUL);
  } catch (error) {
    return reasonOf(error);
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

/**
 * Like openUntrusted, for a path below a folder whose inner folders another program may replace by links at any time: on
 * Linux a file that lies elsewhere is `strange`, whatever led to it.
 */
export async function openBeneath(root: string, path: string): Promise<FileHandle | NoFile> {
  const handle = await openUntrusted(join(root, path));
  if (typeof handle === 'string' || process.platform !== 'linux') return handle;
  try {
    const [real, place] = await Promise.all([realpath(root), readlink(`/proc/self/fd/${handle.fd}`)]);
    if (place.startsWith(`${real}/`)) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return 'strange';
}

const FOLDER = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0);
/** Errors of a folder that has gone, or in whose place there is something else by now. */
const NO_FOLDER = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/**
 * Reads a folder below a folder whose inner folders another program may replace by links at any time. `read` gets a path
 * of the opened folder, which leads to it and its entries whatever takes its place meanwhile (Linux; elsewhere its
 * usual path). Returns null for a folder that has gone, is a link or lies elsewhere. Throws for one that this user may
 * not read.
 */
export async function readFolderBeneath<T>(
  root: string,
  path: string,
  read: (here: string) => Promise<T>,
): Promise<T | null> {
  const place = join(root, path);
  if (process.platform !== 'linux') return read(place);
  let handle: FileHandle;
  try {
    // The folder that all others lie in is the caller's own choice, links included.
    handle = await open(path === '' ? await realpath(root) : place, FOLDER);
  } catch (error) {
    if (NO_FOLDER.has(systemErrorCode(error) ?? '')) return null;
    throw error;
  }
  try {
    const here = `/proc/self/fd/${handle.fd}`;
    const [real, found] = await Promise.all([realpath(root), readlink(here)]);
    return found === real || found.startsWith(`${real}/`) ? await read(here) : null;
  } finally {
    await handle.close();
  }
}

/** Like openUntrusted, but synchronous, and for other flags than those for reading. */
export function openUntrustedSync(file: string, flags: number = constants.O_RDONLY, mode?: number): number | NoFile {
  let fd: number;
  try {
    fd = openSync(file, flags | CAREFUL, mode);
  } catch (error) {
    return reasonOf(error);
  }
  let isFile = false;
  try {
    isFile = fstatSync(fd).isFile();
  } finally {
    if (!isFile) closeSync(fd);
  }
  return isFile ? fd : 'strange';
}

/**
 * True when something other than a regular file has this name. For callers that open by name themselves, as SQLite
 * does.
 */
export function isStrange(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === false;
}
