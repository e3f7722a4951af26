import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PlatformError } from '../../contract/errors.ts';
import { temporaryName } from './atomic-write.ts';
import { identify, isAlive, type ProcessIdentity, toIdentity } from './process-identity.ts';
import { systemErrorCode } from './system-error.ts';

function held(file: string, pid: number): PlatformError {
  return new PlatformError('HOST_RUNNING', `A host runs on the data folder ${dirname(file)} already (process ${pid})`, {
    hint: 'Use that one, stop it with `platform stop`, or choose another folder with --data DIR.',
    details: { pid },
  });
}

/** A lock that is held until `release` or the end of this process. */
export interface LockFile {
  /** Removes the file if it is still ours. Repeatable. */
  release(): void;
}

function readLock(file: string): { text: string; holder: ProcessIdentity | null } | null {
  try {
    const text = readFileSync(file, 'utf8');
    try {
      return { text, holder: toIdentity(JSON.parse(text)) };
    } catch (error) {
      if (error instanceof SyntaxError) return { text, holder: null };
      throw error;
    }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The pid of the process that holds a lock now; null for one that nobody holds, or that a crash has left behind. */
export async function lockHolder(file: string): Promise<number | null> {
  const holder = readLock(file)?.holder ?? null;
  return holder !== null && (await isAlive(holder)) ? holder.pid : null;
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

/** Moves a stale lock away; puts back what a quicker process has put in its place meanwhile. */
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
 * Takes the one lock of a data folder (architecture.md, decision 2). The file names its holder by pid, start time and
 * boot, so a lock that a crash or power cut left behind is taken over. Rejects with HOST_RUNNING.
 */
export async function acquireLock(file: string): Promise<LockFile> {
  const self = await identify(process.pid);
  if (self === null) throw new Error(`This process (${process.pid}) is not in the process list; is /proc mounted?`);
  const text = `${JSON.stringify(self)}\n`;
  const own = join(dirname(file), temporaryName());
  writeFileSync(own, text, { mode: 0o600, flag: 'wx' });
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (claim(own, file)) return { release: () => release(file, text) };
      const found = readLock(file);
      if (found === null) continue;
      if (found.holder !== null && (await isAlive(found.holder))) throw held(file, found.holder.pid);
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
