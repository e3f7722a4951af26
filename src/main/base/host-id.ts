import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from './system-error.ts';

function stored(file: string): string {
  try {
    writeFileSync(file, randomBytes(16).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

/**
 * By what a container engine tells the containers of this data folder from those of others: 32 hex digits. Neither a copy
 * of the folder nor the same path on another machine has the same one. Must be called by the one who holds the lock.
 */
export function hostIdOf(dataDir: string): string {
  const root = realpathSync(dataDir);
  return createHash('sha256')
    .update(`${stored(join(root, 'host-id'))} ${root}`)
    .digest('hex')
    .slice(0, 32);
}
