import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Inspection } from '../../contract/inspection.ts';
import type { DataFolder } from '../base/data-folder.ts';
import { acquireLock } from '../base/lock-file.ts';
import { identify, isAlive, toIdentity } from '../base/process-identity.ts';
import { removeTree } from '../base/remove-tree.ts';

/** What a process has half-written, with its number where it is told: atomic writes, a lock that was moved, a backup. */
const TEMPORARY = /^(?:\.tmp-(\d+)-\d+|host\.lock\.stale-(\d+)|.+\.db\.part)$/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A lock that is cut off names nobody, as one that was never written whole.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Whether a host holds the folder now. */
export async function inspectLock(folder: DataFolder): Promise<Inspection['lock']> {
  if (!existsSync(folder.lockFile)) return { state: 'none', pid: null };
  const holder = toIdentity(parsed(readFileSync(folder.lockFile, 'utf8')));
  if (holder === null) return { state: 'stale', pid: null };
  return { state: (await isAlive(holder)) ? 'held' : 'stale', pid: holder.pid };
}

/** Paths of what is half-written in a folder by nobody who still runs: a backup is made without a host, too. */
async function leftIn(dir: string): Promise<string[]> {
  const left: string[] = [];
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const [found, writer, mover] = TEMPORARY.exec(name) ?? [];
    if (found === undefined) continue;
    const pid = Number(writer ?? mover ?? 0);
    if (pid === 0 || (await identify(pid)) === null) left.push(join(dir, name));
  }
  return left;
}

/** What a killed host left in the folder, except for the lock. Only right while no host runs. */
export async function leftFiles(folder: DataFolder): Promise<string[]> {
  const temporary = [...(await leftIn(folder.root)), ...(await leftIn(folder.backups))];
  return existsSync(folder.hostFile) ? [folder.hostFile, ...temporary] : temporary;
}

/**
 * Removes the lock, the address and the temporary files of a host that was killed; what was removed. Holds the lock
 * meanwhile, so that no host starts. Rejects with HOST_RUNNING while one runs.
 */
export async function tidy(folder: DataFolder): Promise<string[]> {
  const lock = await acquireLock(folder.lockFile);
  try {
    const files = await leftFiles(folder);
    for (const file of files) await removeTree(file);
    return files;
  } finally {
    lock.release();
  }
}
