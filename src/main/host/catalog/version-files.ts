import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileFacts, VersionChange } from '../../../contract/custom-bot.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { openUntrusted } from '../../../node/open-untrusted.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { MAX_PATH_DEPTH, pathFault } from '../../../packaging/package-path-rules.ts';

/** A file of a published version, by its path inside the package. */
export interface VersionFile extends FileFacts {
  readonly path: string;
}

const FOLDER = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0);
const CHUNK = 64 * 1024;

/**
 * Calls `use` with the path of a folder that was opened without following a link. A local bot runs with the rights of the
 * host and could put a link in the place of a folder at any time; on Linux the path leads to the very folder that was
 * opened. Null where there is no such folder.
 */
async function withFolder<T>(path: string, use: (path: string) => Promise<T>): Promise<T | null> {
  if (process.platform === 'win32') return (await lstat(path).catch(() => null))?.isDirectory() ? use(path) : null;
  let handle: FileHandle;
  try {
    handle = await open(path, FOLDER);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return null;
    throw error;
  }
  try {
    return await use(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path);
  } finally {
    await handle.close();
  }
}

/** Calls `use` with an open regular file of a version; null for a missing file or a link. */
export async function withVersionFile<T>(
  dir: string,
  path: string,
  use: (file: FileHandle) => Promise<T>,
): Promise<T | null> {
  if (pathFault(path) !== null) return null;
  const enter = (folder: string, segments: readonly string[]): Promise<T | null> =>
    withFolder(folder, async (here) => {
      const [segment = '', ...rest] = segments;
      if (rest.length > 0) return enter(join(here, segment), rest);
      const handle = await openUntrusted(join(here, segment));
      if (typeof handle === 'string') return null;
      try {
        return await use(handle);
      } finally {
        await handle.close();
      }
    });
  return enter(dir, path.split('/'));
}

const isExecutable = (mode: number): boolean => (mode & 0o111) !== 0;

/** The regular files of a version, by path, within the limits of a package. Links are left out: packages hold none. */
export async function listVersionFiles(dir: string): Promise<VersionFile[]> {
  const found: VersionFile[] = [];
  const visit = async (folder: string, prefix: string, depth: number): Promise<void> => {
    await withFolder(folder, async (here) => {
      for (const entry of await readdir(here, { withFileTypes: true })) {
        if (found.length >= LIMITS.packageFiles) return;
        const path = `${prefix}${entry.name}`;
        if (entry.isDirectory() && depth < MAX_PATH_DEPTH) await visit(join(here, entry.name), `${path}/`, depth + 1);
        if (!entry.isFile()) continue;
        const { size, mode } = await lstat(join(here, entry.name));
        found.push({ path, size_bytes: size, executable: isExecutable(mode) });
      }
    });
  };
  await visit(dir, '', 1);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The text of the bytes, which may be a beginning; null for binary content. */
function textOf(bytes: Buffer, more: boolean): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: more });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** A file of a version with its text, or the beginning of a long text. Null where there is no such file. */
export async function readVersionFile(
  dir: string,
  path: string,
  most = LIMITS.shownFileBytes,
): Promise<(VersionFile & { readonly text: string | null; readonly truncated: boolean }) | null> {
  return withVersionFile(dir, path, async (file) => {
    const { size, mode } = await file.stat();
    const buffer = Buffer.allocUnsafe(Math.min(size, most));
    let read = 0;
    while (read < buffer.length) {
      const { bytesRead } = await file.read(buffer, read, buffer.length - read, read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    const truncated = size > most;
    const text = textOf(buffer.subarray(0, read), truncated);
    return { path, size_bytes: size, executable: isExecutable(mode), text, truncated: text !== null && truncated };
  });
}

async function sameBytes(a: FileHandle, b: FileHandle): Promise<boolean> {
  const [left, right] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
  for (let at = 0; ; ) {
    const [x, y] = await Promise.all([a.read(left, 0, CHUNK, at), b.read(right, 0, CHUNK, at)]);
    if (x.bytesRead !== y.bytesRead || left.compare(right, 0, y.bytesRead, 0, x.bytesRead) !== 0) return false;
    if (x.bytesRead === 0) return true;
    at += x.bytesRead;
  }
}

async function isSame(fromDir: string, toDir: string, path: string): Promise<boolean> {
  const same = await withVersionFile(fromDir, path, (a) => withVersionFile(toDir, path, (b) => sameBytes(a, b)));
  return same ?? false;
}

const facts = ({ size_bytes, executable }: VersionFile): FileFacts => ({ size_bytes, executable });

/** The differences between the files of two versions, by path. Files of equal size are compared byte by byte. */
export async function compareVersionFiles(fromDir: string, toDir: string): Promise<VersionChange[]> {
  const [before, after] = await Promise.all([listVersionFiles(fromDir), listVersionFiles(toDir)]);
  const old = new Map(before.map((file) => [file.path, file]));
  const next = new Map(after.map((file) => [file.path, file]));
  const changes: VersionChange[] = [];
  for (const path of [...new Set([...old.keys(), ...next.keys()])].sort()) {
    const a = old.get(path);
    const b = next.get(path);
    if (a === undefined && b !== undefined) changes.push({ path, kind: 'added', before: null, after: facts(b) });
    else if (b === undefined && a !== undefined) changes.push({ path, kind: 'removed', before: facts(a), after: null });
    else if (a !== undefined && b !== undefined) {
      const alike = a.size_bytes === b.size_bytes && a.executable === b.executable;
      if (alike && (await isSame(fromDir, toDir, path))) continue;
      changes.push({ path, kind: 'changed', before: facts(a), after: facts(b) });
    }
  }
  return changes;
}
