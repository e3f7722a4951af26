import type Database from 'better-sqlite3';

/** True when a database holds tables: without a version it must have lost that. */
export function holdsTables(db: Database.Database): boolean {
  return db.prepare('select 1 from sqlite_schema limit 1').get() !== undefined;
}
