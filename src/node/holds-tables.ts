import type Database from 'better-sqlite3';

/** Whether something was made in a database already: what has no version then has lost it. */
export function holdsTables(db: Database.Database): boolean {
  return db.prepare('select 1 from sqlite_schema limit 1').get() !== undefined;
}
