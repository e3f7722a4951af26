import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { PlatformError } from '../contract/errors.ts';
import { writeFileAtomic } from './atomic-write.ts';
import { openUntrustedSync } from './open-untrusted.ts';
import { errorText } from './system-error.ts';

/** Length of a key in bytes: AES-256. */
export const KEY_BYTES = 32;
const STORED = /^[0-9a-f]{64}\n?$/;

/** Name of a key, made of the key itself, so that a wrong one is noticed: 16 hex digits. */
export const keyIdOf = (key: Uint8Array): string =>
  createHash('sha256').update('bot-platform key').update(key).digest('hex').slice(0, 16);

/** The file of a key in a key folder. */
export const keyFile = (folder: string, keyId: string): string => join(folder, `${keyId}.key`);

function refuse(what: string, why: string, hint: string): never {
  throw new PlatformError('INVALID_REQUEST', `${what} ${why}`, { hint });
}

const isOfOthers = ({ uid }: Stats): boolean => {
  const own = process.geteuid?.();
  return own !== undefined && uid !== own && uid !== 0;
};

/**
 * Makes the key folder (0700) where it is missing. Throws INVALID_REQUEST for one that lies in the data folder, whose
 * backups would hold the key, or into which others may write.
 */
export function openKeyFolder(folder: string, dataDir: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    refuse(`The key folder ${folder}`, `cannot be made: ${errorText(error)}`, 'Name another one with --key-folder.');
  }
  const below = relative(realpathSync(dataDir), realpathSync(folder));
  if (below === '' || !(below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below))) {
    const hint = 'Name a folder elsewhere with --key-folder: a copy of the data folder must not open its secrets.';
    refuse(`The key folder ${folder}`, 'lies in the data folder', hint);
  }
  if (process.platform === 'win32') return;
  const stats = statSync(folder);
  if (isOfOthers(stats) || (stats.mode & 0o022) !== 0) {
    const hint = `Make it yours alone (chmod 700 "${folder}"), or name another one with --key-folder.`;
    refuse(`The key folder ${folder}`, 'belongs to another user, or others may write into it', hint);
  }
}

/**
 * Reads a key; null if its file is missing. Throws INVALID_REQUEST for a file that others may read, that belongs to another
 * user, that is a link, or that does not hold this key.
 */
export function readKey(folder: string, keyId: string): Buffer | null {
  const file = keyFile(folder, keyId);
  const what = `The key file ${file}`;
  const opened = openUntrustedSync(file, constants.O_RDONLY);
  if (opened === 'missing') return null;
  if (opened === 'strange') {
    refuse(what, 'is a link, is no regular file, or may not be read', 'Put the file itself there, owned by this user.');
  }
  try {
    const stats = fstatSync(opened);
    if (process.platform !== 'win32') {
      if (isOfOthers(stats))
        refuse(what, 'belongs to another user', `Give it to the user of the host: chown "${file}".`);
      if ((stats.mode & 0o077) !== 0) refuse(what, 'can be read by others', `Close it: chmod 600 "${file}".`);
      if (stats.nlink !== 1) refuse(what, 'has another name elsewhere (a hard link)', 'Remove the other name.');
    }
    const text = readFileSync(opened, 'utf8');
    const key = STORED.test(text) ? Buffer.from(text.trim(), 'hex') : null;
    if (key !== null && keyIdOf(key) === keyId) return key;
    return refuse(
      what,
      'does not hold its key',
      'Restore it with `platform secrets restore-key`, after moving it away.',
    );
  } finally {
    closeSync(opened);
  }
}

/** Stores a key, whole and flushed to the disk, before anything is sealed with it. */
export async function storeKey(folder: string, key: Uint8Array): Promise<void> {
  await writeFileAtomic(keyFile(folder, keyIdOf(key)), `${Buffer.from(key).toString('hex')}\n`);
}

/** Makes and stores a new key. */
export async function makeKey(folder: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await storeKey(folder, key);
  return key;
}
