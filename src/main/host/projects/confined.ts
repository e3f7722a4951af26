import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, readlink, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { ProjectFile } from '../../../contract/project.ts';
import { flushFolder, giveTo, temporaryName } from '../../../node/atomic-write.ts';
import { openUntrusted } from '../../../node/open-untrusted.ts';
import { readAtMost } from '../../../node/read-untrusted.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { pathFault } from '../../../packaging/package-path-rules.ts';

/** A file and its content. `text` is null for binary files, and for files larger than the editor shows. */
export interface ReadFile {
  readonly version: string;
  readonly size: number;
  readonly kind: ProjectFile['kind'];
  readonly text: string | null;
}

/** Folders of version control: they are not for editing, and files written there could be executed. */
const CLOSED = /^\.(git|hg|svn|bzr)$/i;
/** True where a folder can be named by its handle (Linux), so that no link that appears meanwhile diverts an operation. */
const BY_HANDLE = process.platform === 'linux';
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

const missing = (path: string): PlatformError =>
  new PlatformError('FILE_NOT_FOUND', `The project has no ${path}`, { hint: 'Look at the tree again.' });

function linked(path: string): PlatformError {
  const hint = 'The editor follows no links, because they may lead out of the project. Open the folder that is meant.';
  return new PlatformError('FORBIDDEN', `${path} is a link, or lies behind one`, { hint });
}

export const versionOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Throws for every path that does not name the same file inside the project on every operating system. */
export function checkPath(path: string): void {
  const fault = pathFault(path);
  if (fault !== null) throw invalid('INVALID_REQUEST', [{ path, message: fault.message, hint: fault.hint }]);
  if (path.split('/').some((part) => CLOSED.test(part))) {
    const hint = 'Use the tool that keeps its files there.';
    throw new PlatformError('FORBIDDEN', `${path} belongs to version control`, { hint });
  }
}

/**
 * True if two paths are equal: without regard to case and Unicode form, except on Linux, where file systems distinguish
 * both.
 */
function samePath(one: string, other: string): boolean {
  if (process.platform === 'linux') return one === other;
  return one.normalize('NFC').toLowerCase() === other.normalize('NFC').toLowerCase();
}

async function readHandle(handle: FileHandle): Promise<ReadFile> {
  const bytes = await readAtMost(handle, LIMITS.projectShownBytes);
  if (bytes === null) {
    const { size, mtimeMs, ino } = await handle.stat();
    return { version: versionOf(Buffer.from(`${size} ${mtimeMs} ${ino}`)), size, kind: 'too large', text: null };
  }
  const version = versionOf(bytes);
  const size = bytes.length;
  if (bytes.includes(0)) return { version, size, kind: 'binary', text: null };
  try {
    // Keeps the byte order mark, which is part of the file.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { version, size, kind: size > LIMITS.projectFileBytes ? 'read only' : 'text', text };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { version, size, kind: 'binary', text: null };
  }
}

/**
 * Opens a new file beside a target. A killed host may have left one of this name, because process numbers recur in
 * containers.
 */
async function openTemporary(at: string, mode: number): Promise<{ temporary: string; handle: FileHandle }> {
  for (;;) {
    const temporary = join(at, temporaryName());
    try {
      return { temporary, handle: await open(temporary, 'wx', mode) };
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Places a new file; false when the path exists. */
async function placeNew(temporary: string, target: string): Promise<boolean> {
  try {
    await link(temporary, target);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
  }
  // Without hard links, another file could appear between the check and the rename.
  if ((await statOf(target)) !== null) return false;
  await rename(temporary, target);
  return true;
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * Access to the files of one folder only: paths are relative and plain, no part may be a link, and on Linux every
 * change goes through a handle of the checked folder.
 */
export class ConfinedFolder {
  readonly root: string;

  /** `root` is absolute and contains no link. */
  constructor(root: string) {
    this.root = root;
  }

  /** Returns the absolute path of a file in the project, without checking for links on the way. */
  absolute(path: string): string {
    checkPath(path);
    return join(this.root, ...path.split('/'));
  }

  /** Runs work in the folder of a path; `at` is that folder, `name` the entry in it, `flush` makes its entries durable. */
  async #within<T>(
    path: string,
    work: (at: string, name: string, flush: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const absolute = this.absolute(path);
    const folder = dirname(absolute);
    const name = absolute.slice(folder.length + 1);
    if (!BY_HANDLE) {
      await this.#checkReal(folder, path);
      return work(folder, name, () => flushFolder(folder));
    }
    const handle = await this.#openFolder(folder, path);
    try {
      return await work(`/proc/self/fd/${handle.fd}`, name, () => handle.sync());
    } finally {
      await handle.close();
    }
  }

  async #openFolder(folder: string, path: string): Promise<FileHandle> {
    let handle: FileHandle;
    try {
      handle = await open(folder, FOLDER_FLAGS);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'ENOENT') throw missing(path);
      if (code === 'ELOOP' || code === 'ENOTDIR') {
        const parent = await statOf(folder);
        throw parent?.isSymbolicLink() === true ? linked(path) : missing(path);
      }
      throw error;
    }
    try {
      if ((await readlink(`/proc/self/fd/${handle.fd}`)) !== folder) throw linked(path);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #checkReal(folder: string, path: string): Promise<void> {
    let real: string;
    try {
      real = await realpath(folder);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') throw missing(path);
      throw error;
    }
    if (!samePath(real, folder)) throw linked(path);
  }

  /** Reads a file. Throws FILE_NOT_FOUND, or FORBIDDEN for a link. */
  read(path: string): Promise<ReadFile> {
    return this.#opened(path, readHandle);
  }

  /** Returns up to `most` first bytes of a file. Throws as `read` does. */
  start(path: string, most: number): Promise<Buffer> {
    return this.#opened(path, async (handle) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0);
      return buffer.subarray(0, bytesRead);
    });
  }

  #opened<T>(path: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
    return this.#within(path, async (at, name) => {
      // Windows follows links whatever flags are set.
      if (process.platform === 'win32' && (await statOf(join(at, name)))?.isSymbolicLink() === true) throw linked(path);
      const handle = await openUntrusted(join(at, name));
      if (handle === 'missing') throw missing(path);
      if (handle === 'strange') {
        const stats = await statOf(join(at, name));
        if (stats?.isSymbolicLink() === true) throw linked(path);
        throw new PlatformError('FILE_NOT_FOUND', `${path} is a folder, or no file that can be read`);
      }
      try {
        return await use(handle);
      } finally {
        await handle.close();
      }
    });
  }

  /**
   * Replaces a whole file if its content is that of `version`; null creates a missing file. Throws FILE_CHANGED with
   * the present version, and leaves the file as it is; throws NAME_TAKEN if the path is no file.
   */
  write(path: string, content: string, version: string | null): Promise<ReadFile> {
    const bytes = Buffer.from(content);
    if (bytes.length > LIMITS.projectFileBytes) {
      const message = `${path} would have more than ${LIMITS.projectFileBytes / 1024} KiB`;
      return Promise.reject(new PlatformError('TOO_LARGE', message, { hint: 'Split the file.' }));
    }
    return this.#within(path, async (at, name, flush) => {
      const target = join(at, name);
      const before = await statOf(target);
      if (before !== null) await this.#checkSame(target, path, before, version);
      else if (version !== null) throw changed(path, null);
      const { temporary, handle } = await openTemporary(at, before === null ? 0o644 : before.mode & 0o777);
      try {
        try {
          if (before !== null) {
            await giveTo(handle, before);
            await handle.chmod(before.mode & 0o777);
          }
          await handle.writeFile(bytes);
          await handle.sync();
        } finally {
          await handle.close();
        }
        if (before === null) {
          if (!(await placeNew(temporary, target))) throw changed(path, 'another');
        } else {
          // Checked again, because writing took time.
          await this.#checkSame(target, path, before, version);
          await rename(temporary, target);
        }
      } finally {
        await rm(temporary, { force: true });
      }
      // The editor discards the typed text once it is saved, so the file must survive a power cut.
      await flush();
      return { version: versionOf(bytes), size: bytes.length, kind: 'text', text: content };
    });
  }

  async #checkSame(target: string, path: string, before: Stats, version: string | null): Promise<void> {
    if (before.isSymbolicLink()) throw linked(path);
    const handle = await openUntrusted(target);
    if (handle === 'missing') throw changed(path, null);
    if (handle === 'strange') throw taken(path);
    try {
      const now = await readHandle(handle);
      if (version === null || now.version !== version) throw changed(path, now.version);
    } finally {
      await handle.close();
    }
  }

  /** Makes a folder and its missing parents. Throws NAME_TAKEN. */
  async makeFolder(path: string): Promise<void> {
    const parts = path.split('/');
    checkPath(path);
    for (let count = 1; count <= parts.length; count++) {
      const part = parts.slice(0, count).join('/');
      await this.#within(part, async (at, name) => {
        try {
          await mkdir(join(at, name));
        } catch (error) {
          if (systemErrorCode(error) !== 'EEXIST') throw error;
          if (count < parts.length) return;
          throw taken(path);
        }
      });
    }
  }

  /** Makes a missing folder; throws FORBIDDEN if a link is in its place. */
  async ensureFolder(path: string): Promise<void> {
    try {
      await this.makeFolder(path);
    } catch (error) {
      if (!(error instanceof PlatformError && error.code === 'NAME_TAKEN')) throw error;
      await this.exists(`${path}/any`);
    }
  }

  /** Moves a file or folder to another path, whose folder must exist. Throws FILE_NOT_FOUND or NAME_TAKEN. */
  async move(from: string, to: string): Promise<void> {
    checkPath(to);
    if (to === from || to.startsWith(`${from}/`)) throw taken(to);
    await this.#within(from, (oldAt, oldName) =>
      this.#within(to, async (newAt, newName) => {
        const source = join(oldAt, oldName);
        const target = join(newAt, newName);
        const stats = await statOf(source);
        if (stats === null) throw missing(from);
        const there = await statOf(target);
        // On a file system that ignores case, the new spelling names the old file.
        const respelt = there !== null && there.ino === stats.ino && from.toLowerCase() === to.toLowerCase();
        if (there !== null && !respelt) throw taken(to);
        if (stats.isFile() && there === null) {
          if (!(await placeNew(source, target))) throw taken(to);
          await rm(source, { force: true });
        } else await rename(source, target);
      }),
    );
  }

  /** Removes for good the entries of a folder whose names `isMeant` selects. The folder may be missing. */
  async clear(path: string, isMeant: (name: string) => boolean): Promise<void> {
    try {
      await this.#within(`${path}/all`, async (at) => {
        const meant = (await readdir(at)).filter(isMeant);
        for (const name of meant) await rm(join(at, name), { recursive: true, force: true });
      });
    } catch (error) {
      if (!(error instanceof PlatformError && error.code === 'FILE_NOT_FOUND')) throw error;
    }
  }

  /** Reports whether a path exists, without following a link. */
  async exists(path: string): Promise<boolean> {
    try {
      return await this.#within(path, async (at, name) => (await statOf(join(at, name))) !== null);
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'FILE_NOT_FOUND') return false;
      throw error;
    }
  }
}

function taken(path: string): PlatformError {
  return new PlatformError('NAME_TAKEN', `There is a ${path} already`, { hint: 'Choose another name.' });
}

function changed(path: string, version: string | null): PlatformError {
  if (version === null) {
    const hint = 'Save it as a new file if you want to keep your text.';
    return new PlatformError('FILE_CHANGED', `${path} is not there any more`, { hint, details: { version } });
  }
  const hint = 'Nothing was written. Compare both, then load the other text or replace it by yours.';
  const message = `${path} was changed by another program`;
  return new PlatformError('FILE_CHANGED', message, {
    hint,
    details: { version: version === 'another' ? null : version },
  });
}
