import { chmodSync, closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isOpenToOthers } from './private-database-file.ts';
import { systemErrorCode } from './system-error.ts';

/** Closing a database releases its lock, and so would the garbage collector. */
const held = new Set<Database.Database>();

/** An exclusive lock that the operating system releases when this process ends, however it ends. */
export interface ExclusiveFile {
  /** Repeatable. */
  release(): void;
}

/** The file system has no locks; `taken` would never be seen there. */
const UNSUPPORTED = /^SQLITE_(IOERR_(LOCK|RDLOCK|UNLOCK|CHECKRESERVEDLOCK)|PROTOCOL|NOLFS)$/;

/**
 * Any user who can open the file could lock every host out, and SQLite would create it open to all. An existing one is
 * not opened: POSIX drops a lock of this process when it closes any descriptor of the file.
 */
function closeToOthers(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    if (isOpenToOthers(file)) chmodSync(file, 0o600);
  }
}

/**
 * Takes an exclusive lock on a file, which is made if it is missing and stays empty: SQLite knows how each system locks files.
 * The kernel keeps the locks, so they hold between containers and pid namespaces that share the file. `taken`: another process held
 * it for all of `waitMs`. `unsupported`: this file system keeps no locks. No other code of this process may open the file.
 */
export function takeExclusive(file: string, waitMs: number): ExclusiveFile | 'taken' | 'unsupported' {
  closeToOthers(file);
  const db = new Database(file, { timeout: waitMs });
  try {
    db.exec('begin exclusive');
  } catch (error) {
    db.close();
    const code = systemErrorCode(error) ?? '';
    if (code.startsWith('SQLITE_BUSY')) return 'taken';
    if (UNSUPPORTED.test(code)) return 'unsupported';
    throw error;
  }
  held.add(db);
  return {
    release() {
      if (!held.delete(db)) return;
      db.close();
    },
  };
}

/**
 * Tells if another process holds the lock of a file; `unknown` for a missing or unreadable file, or without locks.
 * Changes nothing. Concurrent checks do not see each other, and a process that takes the lock meanwhile waits for this
 * one to end.
 */
export function lookExclusive(file: string): 'taken' | 'free' | 'unknown' {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 });
    // Any read takes the lock that readers share, for as long as the read lasts.
    db.prepare('select 1 from sqlite_schema').get();
    return 'free';
  } catch (error) {
    if (!(error instanceof Database.SqliteError) && !(error instanceof TypeError)) throw error;
    return systemErrorCode(error)?.startsWith('SQLITE_BUSY') === true ? 'taken' : 'unknown';
  } finally {
    db?.close();
  }
}
