import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Inspection } from '../../../contract/doctor-inspection.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { holdFolder, seenHolder } from '../../../node/hold-folder.ts';
import { namedHolder } from '../../../node/pid-lock-file.ts';
import { identify } from '../../../node/process-identity.ts';
import { removeTree } from '../../../node/remove-tree.ts';

/** Names of temporary files, with the pid of their writer if known: atomic writes, a moved lock, a backup. */
const TEMPORARY = /^(?:\.tmp-(\d+)-\d+|host\.lock\.stale-(\d+)|.+\.db\.part)$/;

/** Returns the state of the folder's lock: held by a running host, none, or stale. */
export async function inspectLock(folder: DataFolder): Promise<Inspection['lock']> {
  const holder = await seenHolder(folder, null);
  if (holder !== null) return { state: 'held', pid: holder.pid, by: holder.pid === null ? holder.who : null };
  if (!existsSync(folder.lockFile)) return { state: 'none', pid: null, by: null };
  return { state: 'stale', pid: namedHolder(folder.lockFile)?.pid ?? null, by: null };
}

/** Returns temporary files in a folder whose writer has ended: a backup may run without a host. */
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

/** Returns files that a killed host left in the folder, except for the lock. Correct only while no host runs. */
export async function leftFiles(folder: DataFolder): Promise<string[]> {
  const temporary = [...(await leftIn(folder.root)), ...(await leftIn(folder.backups))];
  return [folder.hostFile, folder.beatFile].filter((file) => existsSync(file)).concat(temporary);
}

/**
 * Removes the lock, the address and the temporary files of a killed host, and returns their names. Keeps the lock
 * meanwhile, so that no host starts. Rejects with HOST_RUNNING while a host runs.
 */
export async function tidy(folder: DataFolder): Promise<string[]> {
  const held = await holdFolder(folder, { identity: process.env.PLATFORM_HOST_IDENTITY || null });
  try {
    const files = await leftFiles(folder);
    for (const file of files) await removeTree(file);
    return files;
  } finally {
    await held.release();
  }
}
