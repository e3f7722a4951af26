import { PlatformError } from '../contract/errors.ts';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Also a sector that the disk cannot read (CORRUPTFS), or that its file system finds changed (READ): it stays so. */
const DAMAGED = new Set(['SQLITE_NOTADB', 'SQLITE_IOERR_CORRUPTFS', 'SQLITE_IOERR_READ']);

/** The file is damaged: nothing but a fresh database helps. */
export function isDamaged(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('SQLITE_CORRUPT') || DAMAGED.has(code);
}

/** An error like SQLite's own, for damage that it does not see. */
export function damage(what: string): Error {
  return Object.assign(new Error(what), { code: 'SQLITE_CORRUPT' });
}

/** SQLite cannot make room for its index file, which it tells apart from a write that found the disk full. */
const NO_ROOM = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']);

/** No space is left: the same write works again once there is some. */
export function isDiskFull(error: unknown): boolean {
  return NO_ROOM.has(codeOf(error));
}

/**
 * Maps a failed read or write of the control database to STORAGE_FULL, DATA_DAMAGED, or the error itself. The change
 * was one transaction, so nothing of it was stored.
 */
export function toStorageError(error: unknown): unknown {
  if (isDiskFull(error)) return new PlatformError('STORAGE_FULL', undefined, { cause: error });
  if (!isDamaged(error)) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new PlatformError('DATA_DAMAGED', `The control database is damaged (${said})`, {
    hint: 'Stop the host with `platform stop` and start it again: it then says which backup to restore.',
    cause: error,
  });
}
