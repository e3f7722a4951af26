import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from './system-error.ts';

/** The file of a data folder that is made once. Its inode and birth tell the folder from a copy. */
export const hostIdFile = (root: string): string => join(root, 'host-id');

/** Makes the file where it is missing; one that is there stays untouched. */
export function makeHostId(root: string): void {
  try {
    writeFileSync(hostIdFile(root), randomBytes(16).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
}

/** Gives a copied folder an identity of its own, so that nothing that belongs to the original is taken for its own. */
export function renewHostId(root: string): void {
  rmSync(hostIdFile(root), { force: true });
  makeHostId(root);
}

/**
 * Tells the programs and containers of this data folder from those of others: 32 hex digits. Neither a copy of the folder nor
 * the same path on another machine has the same one. Must be called by the one who holds the lock.
 */
export function hostIdOf(dataDir: string): string {
  const root = realpathSync(dataDir);
  makeHostId(root);
  return createHash('sha256')
    .update(`${readFileSync(hostIdFile(root), 'utf8').trim()} ${root}`)
    .digest('hex')
    .slice(0, 32);
}
