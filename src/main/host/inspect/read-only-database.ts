import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { errorText } from '../../../node/system-error.ts';

const BUSY_MS = 2000;

/**
 * Opens a database read-only, also beside a host that writes. Without a host it opens as immutable, because SQLite
 * would otherwise leave files beside it; Node's build supports that, not every build does. Returns the problem of an
 * invalid file as text.
 */
export function withReadOnlyDatabase<T>(file: string, use: (db: DatabaseSync) => T): T | string {
  const isOpen = (): boolean => existsSync(`${file}-wal`);
  const look = (alone: boolean): T | string => {
    const url = pathToFileURL(file);
    if (alone) url.searchParams.set('immutable', '1');
    try {
      const db = new DatabaseSync(url, { readOnly: true, timeout: BUSY_MS });
      try {
        return use(db);
      } finally {
        db.close();
      }
    } catch (error) {
      return errorText(error);
    }
  };
  if (isOpen()) return look(false);
  const found = look(true);
  // A host has opened it meanwhile: the reading may be inconsistent.
  return isOpen() ? look(false) : found;
}
