import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type GuardSpec, isLooser } from '../guards/guard-spec.ts';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';
import { createGuardStore, type GuardRow } from './guard-store.ts';
import { guardTables } from './migrations/0024-guards.ts';

/** The guards of a data folder. */
export type HeldGuards = readonly GuardRow[];

/** Reads the guards of a control database before a backup replaces it; none where it is missing, damaged or older than guards. */
export function heldGuards(file: string): HeldGuards {
  if (!existsSync(file) || controlFault(file) !== null) return [];
  const db = new Database(file, { fileMustExist: true });
  try {
    const known = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'guard'").get();
    return known === undefined ? [] : createGuardStore(db).all();
  } finally {
    db.close();
  }
}

/**
 * Keeps a restore from removing a guard of a bot, from making one looser, and from making one forget what it has seen, by a backup
 * from before. No place in the log is kept, so each guard goes on with what the one of the folder knew; only one that the folder does
 * not have goes on with what the backup says.
 */
export function keepGuards(db: ControlDatabase, held: HeldGuards): void {
  if (held.length === 0) return;
  // A backup of an earlier release has no place for them; its migration then finds the tables.
  db.exec(guardTables);
  const store = createGuardStore(db);
  const restored = store.all();
  const isThere = db.prepare<[string], unknown>('select 1 from bot where bot_id = ?');
  for (const guard of held) {
    const { botId, kind, symbol } = guard;
    if (isThere.get(botId) === undefined) continue;
    const present = restored.find((one) => one.botId === botId && one.kind === kind && one.symbol === symbol);
    // One that is not looser has the same unit and zone, so what the folder has seen holds for it.
    if (present !== undefined && !isLooser(guard.spec as GuardSpec, present.spec as GuardSpec))
      store.setState(present.guardId, guard.state);
    else store.put(guard);
  }
}
