import { constants } from 'node:os';

/** The operating system's code of an error (`ENOENT`, `EACCES`), or null for any other kind of error. */
export function systemErrorCode(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return null;
  // Node calls it UNKNOWN.
  return 'errno' in error && error.errno === -constants.errno.EDQUOT ? 'EDQUOT' : error.code;
}

/** True for a missing permission: a program can close its own files and folders to everybody. */
export function isClosed(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'EACCES' || code === 'EPERM';
}

/** Text of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
