import type Database from 'better-sqlite3';

/** True when a database holds tables: without a schema version it must then have lost that version. */
export function databaseHasTables(db: Database.Database): boolean {
  return db.prepare('select 1 from sqlite_schema limit 1').get() !== undefined;
}
