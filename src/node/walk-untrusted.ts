import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openUntrusted } from './open-untrusted.ts';
import { systemErrorCode } from './system-error.ts';

const FOLDER = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0);
/** It is something else by now, or this user may not read it. */
const REFUSED = new Set(['ENOTDIR', 'ELOOP', 'EACCES', 'EPERM']);
/** Bytes of a path below the walked folder: one that is longer can be made step by step, but hardly be named again. */
const LONGEST_PATH = 1000;

/** An entry that a walk meets; `path` is relative, with `/`. A file is open until `visit` ends. */
export type UntrustedEntry =
  | { readonly kind: 'folder'; readonly path: string; readonly stat: Stats }
  | { readonly kind: 'file'; readonly path: string; readonly stat: Stats; readonly handle: FileHandle };

async function opened(work: ReturnType<typeof openUntrusted>): ReturnType<typeof openUntrusted> {
  try {
    return await work;
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    if (code === 'ENOENT') return 'missing';
    if (REFUSED.has(code)) return 'strange';
    throw error;
  }
}

/** Node decodes a name that is not valid UTF-8 to another name, under which no file is found. */
const isNoText = (name: string): boolean => name.includes('\ufffd');

/**
 * Visits every folder and plain file below a folder that other programs may change at any time, the folder itself
 * first, as `''`. Links are never followed: on Linux every step goes through the handle of an opened folder. Returns
 * the skipped paths, `''` for the folder itself: entries that are neither folder nor plain file, unreadable, too deep,
 * or named unusably. Entries that disappear meanwhile are not skipped paths.
 */
export async function walkUntrusted(root: string, visit: (met: UntrustedEntry) => Promise<void>): Promise<string[]> {
  const strange: string[] = [];
  const enter = async (place: string, path: string): Promise<void> => {
    const folder = await opened(open(place, FOLDER));
    if (folder === 'missing' && !isNoText(path)) return;
    if (typeof folder === 'string') {
      strange.push(path);
      return;
    }
    try {
      const here = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : place;
      await visit({ kind: 'folder', path, stat: await folder.stat() });
      const entries = await readdir(here, { withFileTypes: true });
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const below = path === '' ? entry.name : `${path}/${entry.name}`;
        if (Buffer.byteLength(below) > LONGEST_PATH) strange.push(below);
        else if (entry.isDirectory()) await enter(join(here, entry.name), below);
        else if (!entry.isFile()) strange.push(below);
        else await file(join(here, entry.name), below);
      }
    } finally {
      await folder.close();
    }
  };
  const file = async (place: string, path: string): Promise<void> => {
    const handle = await opened(openUntrusted(place));
    if (handle === 'missing' && !isNoText(path)) return;
    if (typeof handle === 'string') {
      strange.push(path);
      return;
    }
    try {
      await visit({ kind: 'file', path, stat: await handle.stat(), handle });
    } finally {
      await handle.close();
    }
  };
  await enter(root, '');
  return strange;
}
