import { PlatformError } from '../contract/errors.ts';
import { systemErrorCode } from './system-error.ts';

const codeOf = (error: unknown): string => systemErrorCode(error) ?? '';

/**
 * Includes a sector that the disk cannot read (CORRUPTFS), or that its file system finds changed (READ): neither passes by
 * itself.
 */
const DAMAGED = new Set(['SQLITE_NOTADB', 'SQLITE_IOERR_CORRUPTFS', 'SQLITE_IOERR_READ']);

/** True if the file is damaged: nothing but a fresh database helps. */
export function isDamaged(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('SQLITE_CORRUPT') || DAMAGED.has(code);
}

/** An error like SQLite's own, for damage that it does not see. */
export function damage(what: string): Error {
  return Object.assign(new Error(what), { code: 'SQLITE_CORRUPT' });
}

/** SHMSIZE: SQLite has a code of its own for a disk on which only its index file found no room. */
const NO_ROOM = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']);

/** True if no space is left: the same write works again once there is some. */
export function isDiskFull(error: unknown): boolean {
  return NO_ROOM.has(codeOf(error));
}

/** Remedy for a disk that takes no writes. */
export const MEND_DISK =
  'Free some space, raise the quota of the user that runs the host, or see to a disk that is read-only or fails.';

/** Errors of a quota, which SQLite reports as a failed write, of a read-only disk, and of a disk that fails. */
const REFUSED = /^(?:SQLITE_(?:IOERR|READONLY|CANTOPEN)(?:_.*)?|EIO|EROFS)$/;

/** True if the disk refused a write, for any reason. */
export function isUnwritable(error: unknown): boolean {
  return isDiskFull(error) || isDamaged(error) || REFUSED.test(codeOf(error));
}

const refused = (error: unknown, said: string): PlatformError =>
  new PlatformError('STORAGE_FULL', `The disk refuses changes of the control database (${said})`, {
    hint: `${MEND_DISK} Nothing that was stored is lost.`,
    cause: error,
  });

/**
 * Maps a failed read or write of the control database to STORAGE_FULL, DATA_DAMAGED, or the error itself. The change
 * was one transaction, so nothing of it was stored.
 */
export function toStorageError(error: unknown): unknown {
  if (isDiskFull(error)) return new PlatformError('STORAGE_FULL', undefined, { cause: error });
  const said = error instanceof Error ? error.message : String(error);
  if (!isDamaged(error))
    return codeOf(error).startsWith('SQLITE_') && isUnwritable(error) ? refused(error, said) : error;
  return new PlatformError('DATA_DAMAGED', `The control database is damaged (${said})`, {
    hint: 'Stop the host with `platform stop` and start it again: it then says which backup to restore.',
    cause: error,
  });
}
