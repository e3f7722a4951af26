import { linkSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PlatformError } from '../contract/errors.ts';
import { temporaryName } from './atomic-write.ts';
import { bootId, identify, isAlive, type ProcessIdentity, pidNamespace } from './process-identity.ts';
import { systemErrorCode } from './system-error.ts';

/** The error for a data folder that another process works on. `pid` is null where its process cannot be told from here. */
export function hostRunning(root: string, who: string, pid: number | null): PlatformError {
  return new PlatformError('HOST_RUNNING', `A host runs on the data folder ${root} already (${who})`, {
    hint: 'Use that one, stop it with `platform stop`, or choose another folder with --data DIR.',
    details: { pid },
  });
}

/** The process that a lock names. */
export interface LockHolder extends ProcessIdentity {
  /** Namespace in which `pid` counts; null where there is none, and in files of earlier releases. */
  readonly namespace: string | null;
  /**
   * Path at which the lock was made, and its inode: a copied folder brings a lock along whose process runs. Null as
   * above.
   */
  readonly path: string | null;
  readonly inode: string | null;
}

/** Unlike a program that may be signalled, a holder may be process 1: a host in a container is. */
function toHolder(value: unknown): LockHolder | null {
  if (typeof value !== 'object' || value === null) return null;
  const field = (name: string): unknown => Reflect.get(value, name);
  const [pid, started, boot] = [field('pid'), field('started'), field('boot')];
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return null;
  if (typeof started !== 'string' || typeof boot !== 'string') return null;
  const text = (name: string): string | null => {
    const known = field(name);
    return typeof known === 'string' ? known : null;
  };
  return { pid, started, boot, namespace: text('namespace'), path: text('path'), inode: text('inode') };
}

const inodeOf = (file: string): string => String(statSync(file, { bigint: true }).ino);

/** A renamed folder keeps its inode, and on a disk that invents inode numbers the path stays: only a copy differs in both. */
function isCopied(file: string, { path, inode }: LockHolder): boolean {
  if (path === null || inode === null) return false;
  try {
    return path !== realpathSync(dirname(file)) && inode !== inodeOf(file);
  } catch (error) {
    // Released a moment ago: the caller finds no lock when it looks again.
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** True when the holder is seen running; a process in another pid namespace cannot be seen. */
async function runs(file: string, holder: LockHolder): Promise<boolean> {
  if (isCopied(file, holder)) return false;
  if (holder.namespace !== null && holder.namespace !== pidNamespace()) return false;
  return isAlive(holder);
}

/** A lock that is held until `release` or the end of this process. */
export interface LockFile {
  /** Removes the file if it is still ours. Repeatable. */
  release(): void;
}

function readLock(file: string): { text: string; holder: LockHolder | null } | null {
  try {
    const text = readFileSync(file, 'utf8');
    try {
      return { text, holder: toHolder(JSON.parse(text)) };
    } catch (error) {
      if (error instanceof SyntaxError) return { text, holder: null };
      throw error;
    }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The pid of the process that holds a lock now; null if it is free or left over from a crash. */
export async function lockHolder(file: string): Promise<number | null> {
  const holder = readLock(file)?.holder ?? null;
  return holder !== null && (await runs(file, holder)) ? holder.pid : null;
}

/** The process that a lock names, running or not; null for none. */
export function namedHolder(file: string): LockHolder | null {
  return readLock(file)?.holder ?? null;
}

/** True when a lock names a process of this boot that is invisible from here, e.g. in another pid namespace. */
export async function isOutOfSight(holder: LockHolder): Promise<boolean> {
  return holder.namespace !== null && holder.namespace !== pidNamespace() && holder.boot === (await bootId());
}

/** Gives a complete file its name in one step; false when the name is taken. */
function claim(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a stale lock away; restores the lock of a process that was quicker. */
function removeStale(file: string, staleText: string): void {
  const moved = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, moved);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  if (readFileSync(moved, 'utf8') !== staleText) claim(moved, file);
  rmSync(moved, { force: true });
}

const ATTEMPTS = 20;

/**
 * Takes the lock of a data folder that tells who holds it. The file names its holder by pid, start time and boot, so a
 * lock that a crash or power cut left behind is taken over. It does not keep out a host in another pid namespace:
 * `holdFolder` does. Rejects with HOST_RUNNING.
 */
export async function acquireLock(file: string): Promise<LockFile> {
  const self = await identify(process.pid);
  if (self === null) throw new Error(`This process (${process.pid}) is not in the process list; is /proc mounted?`);
  const own = join(dirname(file), temporaryName());
  writeFileSync(own, '', { mode: 0o600, flag: 'wx' });
  const place = { namespace: pidNamespace(), path: realpathSync(dirname(file)), inode: inodeOf(own) };
  const text = `${JSON.stringify({ ...self, ...place })}\n`;
  writeFileSync(own, text);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (claim(own, file)) return { release: () => release(file, text) };
      const found = readLock(file);
      if (found === null) continue;
      if (found.holder !== null && (await runs(file, found.holder))) {
        throw hostRunning(dirname(file), `process ${found.holder.pid}`, found.holder.pid);
      }
      removeStale(file, found.text);
    }
  } finally {
    rmSync(own, { force: true });
  }
  throw new Error(`The lock ${file} could not be taken: other processes keep taking and leaving it. Try again.`);
}

function release(file: string, text: string): void {
  if (readLock(file)?.text === text) rmSync(file, { force: true });
}
