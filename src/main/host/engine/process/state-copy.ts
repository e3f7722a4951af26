import { type BigIntStats, constants, type Dirent } from 'node:fs';
import { access, copyFile, lstat, mkdir, readdir, stat as statusOf } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformError } from '../../../../contract/errors.ts';
import { openBeneath, readFolderBeneath } from '../../../../node/open-untrusted.ts';
import { isClosed, systemErrorCode } from '../../../../node/system-error.ts';

/**
 * Size of a state up to which it is copied for a query. A larger one is copied only where the file system shares the
 * blocks of a copy with its original.
 */
export const STATE_COPY_BYTES = 50 * 1024 * 1024;
/** Limit of files, and of folders, in a state that is copied for a query program. */
export const STATE_COPY_FILES = 10_000;

/** Plan of a copy of a state for a query program. */
export interface CopyPlan {
  /**
   * Folders by path, each with its status before its entries were read; null for one that has gone since. Each comes
   * after the one that contains it; the first is the state folder itself.
   */
  readonly folders: ReadonlyMap<string, BigIntStats | null>;
  /** Files by path; null for a file that has gone since. */
  readonly files: ReadonlyMap<string, BigIntStats | null>;
  /** True if the state is larger than a plain copy for each query may be. */
  readonly large: boolean;
}

function tooLarge(what: string): PlatformError {
  return new PlatformError(
    'QUERY_FAILED',
    `The bot's state is too large to be shown to a query program of the process engine: ${what}`,
    {
      hint: `A query program gets a copy there, so that it cannot change the state. Run the bot in a container, which shows it the state read-only (options.engine); or let the bot itself answer while it runs; or keep less in its state.`,
    },
  );
}

/** A bot may change its state meanwhile: files that have gone are not part of the copy. */
export async function orGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return null;
    throw error;
  }
}

/**
 * Awaits work on a path of the state. Throws QUERY_FAILED if the bot has made the path unreadable, because half of a
 * state is no answer.
 */
async function opened<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isClosed(error)) throw error;
    throw new PlatformError(
      'QUERY_FAILED',
      `The bot has closed a part of its state to the host: ${JSON.stringify(path)}`,
      {
        hint: 'A query program is shown a copy of the whole state. Make that part readable again, with chmod u+rwX.',
        cause: error,
      },
    );
  }
}

const AT_ONCE = 64;

/** Returns the status of each of these paths in a folder, in their order; null for those that are gone. */
export async function statsOf(root: string, paths: readonly string[]): Promise<Map<string, BigIntStats | null>> {
  const found = new Map<string, BigIntStats | null>();
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const part = paths.slice(at, at + AT_ONCE);
    const stats = await Promise.all(part.map((path) => orGone(lstat(join(root, path), { bigint: true }))));
    part.forEach((path, index) => {
      found.set(path, stats[index] ?? null);
    });
  }
  return found;
}

interface Listed {
  /** Status of the folder before its entries were read. */
  readonly folder: BigIntStats;
  readonly below: readonly string[];
  /** Its files by name; null for one that has gone since. */
  readonly files: ReadonlyMap<string, BigIntStats | null>;
}

/** Reads an opened folder; `most`: number of files that it may have. */
async function listFolder(here: string, most: number): Promise<Listed> {
  const folder = await statusOf(here, { bigint: true });
  const entries: Dirent[] = await readdir(here, { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.tmp-'));
  if (own.length > most) throw tooLarge(`it has more than ${STATE_COPY_FILES} files`);
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const files = await statsOf(
    here,
    own.map(({ name }) => name),
  );
  return { folder, below, files };
}

/** Plans a copy. Leaves out links, special files and unfinished writes. Throws QUERY_FAILED for too many files. */
export async function planCopy(root: string): Promise<CopyPlan> {
  const folders = new Map<string, BigIntStats | null>([['', null]]);
  const files = new Map<string, BigIntStats | null>();
  let bytes = 0n;
  // Goes on with the folders that it adds.
  for (const folder of folders.keys()) {
    const place = join(root, folder);
    const most = STATE_COPY_FILES - files.size;
    const listed = await opened(place, orGone(readFolderBeneath(root, folder, (here) => listFolder(here, most))));
    if (listed === null) continue;
    folders.set(folder, listed.folder);
    for (const name of listed.below) folders.set(join(folder, name), null);
    if (folders.size > STATE_COPY_FILES) throw tooLarge(`it has more than ${STATE_COPY_FILES} folders`);
    for (const [name, stat] of listed.files) {
      files.set(join(folder, name), stat);
      bytes += stat?.size ?? 0n;
    }
  }
  return { folders, files, large: bytes > STATE_COPY_BYTES };
}

/** Throws for an unreadable file; accepts an entry that is gone or no longer a file. */
async function refuseClosed(file: string): Promise<void> {
  if ((await orGone(lstat(file)))?.isFile() === true) await orGone(access(file, constants.R_OK));
}

/**
 * Copies a file to a free path; a large state only by sharing its blocks, which costs no more than a small copy. The
 * bot may have replaced the file, or a folder on the way to it, since it was listed, so on Linux the opened file is
 * copied, and only if it lies in the state. False when the file no longer exists there.
 */
export async function copyUntrusted(root: string, path: string, to: string, large: boolean): Promise<boolean> {
  const from = join(root, path);
  const handle = await openBeneath(root, path);
  if (handle === 'strange') await opened(from, refuseClosed(from));
  if (typeof handle === 'string') return false;
  try {
    const source = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : from;
    const way = large ? constants.COPYFILE_FICLONE_FORCE : constants.COPYFILE_FICLONE;
    await copyFile(source, to, way | constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    const cannotShare = ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EINVAL', 'ENOTTY'];
    if (!large || !cannotShare.includes(systemErrorCode(error) ?? '')) throw error;
    throw tooLarge(`it is larger than ${STATE_COPY_BYTES / 1024 / 1024} MiB`);
  } finally {
    await handle.close();
  }
}

/**
 * Makes the state folder for a query run: a private copy, so that nothing the query program does reaches the bot's
 * state. Each file is replaced by a rename, so a copy holds the old or the new value of a key, never a mix. Throws
 * QUERY_FAILED for a state that is too large: the real folder is never given to a query program.
 */
export async function copyState(stateDir: string, target: string): Promise<string> {
  const plan = await planCopy(stateDir);
  for (const folder of plan.folders.keys()) await mkdir(join(target, folder), { recursive: true, mode: 0o700 });
  await mkdir(join(target, '.platform'), { recursive: true, mode: 0o700 });
  for (const file of plan.files.keys()) {
    await orGone(copyUntrusted(stateDir, file, join(target, file), plan.large));
  }
  return target;
}
