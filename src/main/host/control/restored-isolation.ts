import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type IsolationLevel, isBelow } from '../../../contract/isolation.ts';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';
import { storedLeastIsolation, storeLeastIsolation } from './isolation-store.ts';

/** The isolation that a data folder demands of its bots, and the exceptions. */
export interface HeldIsolation {
  readonly least: IsolationLevel;
  readonly exceptions: ReadonlySet<string>;
}

function exceptionsOf(db: ControlDatabase): string[] {
  const column = db.prepare("select 1 from pragma_table_info('bot') where name = 'isolation_exception'").get();
  // An older release knew no exceptions.
  if (column === undefined) return [];
  return db
    .prepare<[], { bot_id: string }>('select bot_id from bot where isolation_exception is not null')
    .all()
    .map((row) => row.bot_id);
}

/** Reads the demands of a control database before a backup replaces it; null where it is missing or damaged. */
export function heldIsolation(file: string): HeldIsolation | null {
  if (!existsSync(file) || controlFault(file) !== null) return null;
  const db = new Database(file, { fileMustExist: true });
  try {
    return { least: storedLeastIsolation(db), exceptions: new Set(exceptionsOf(db)) };
  } finally {
    db.close();
  }
}

/**
 * Keeps a restore from lowering the least isolation of a folder, and from bringing back an exception that has ended since
 * the backup. A folder that held nothing takes both from the backup.
 */
export function keepIsolation(db: ControlDatabase, held: HeldIsolation | null): void {
  if (held === null) return;
  if (isBelow(storedLeastIsolation(db), held.least)) storeLeastIsolation(db, held.least);
  for (const botId of exceptionsOf(db)) {
    if (held.exceptions.has(botId)) continue;
    db.prepare('update bot set isolation_exception = null where bot_id = ?').run(botId);
  }
}
