import { chmodSync, closeSync, lstatSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isStrange } from './open-untrusted.ts';
import { damage } from './storage-error.ts';

const PRIVATE = 0o600;
/** Suffixes of files that SQLite keeps beside a database; it gives them the mode of the database when it makes them. */
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Makes a database file readable by this user alone, with what SQLite keeps beside it, and makes it if it is missing.
 * Windows has no such modes.
 */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', PRIVATE));
  closeIfOpen(file);
  for (const ending of BESIDE) closeIfOpen(`${file}${ending}`);
}

/** True when the mode of a file lets other users of this machine use it, whatever the mode of its folder. */
export function isOpenToOthers(file: string): boolean {
  const mode = lstatSync(file, { throwIfNoEntry: false })?.mode;
  return mode !== undefined && process.platform !== 'win32' && (mode & 0o077) !== 0;
}

/** Closes the databases directly in a folder that an earlier release has left open to others. Links are left alone. */
export function closeDatabasesIn(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const file = join(dir, entry.name);
    if (entry.isFile() && /\.db(-\w+)?$/.test(entry.name) && isOpenToOthers(file)) chmodSync(file, PRIVATE);
  }
}

/**
 * The fault of a database file, or of one beside it, that is not a regular file; null without one. Any program that may
 * write to the folder can put such entries there.
 */
export function strangeDatabase(file: string): string | null {
  const strange = ['', ...BESIDE].map((ending) => `${file}${ending}`).find(isStrange);
  return strange === undefined ? null : `${strange} is no regular file`;
}

/** Throws an error that counts as damage where SQLite would follow a link, or block on a pipe. */
export function refuseStrangeDatabase(file: string): void {
  const strange = strangeDatabase(file);
  if (strange !== null) throw damage(strange);
}

function closeIfOpen(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined && process.platform !== 'win32' && (mode & 0o077) !== 0) chmodSync(file, PRIVATE);
}
