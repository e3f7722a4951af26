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

/** What a guard knows that has seen no row. */
const NOTHING_SEEN = {};

/**
 * Keeps a restore from removing a guard of a bot, and from making one looser, by a backup from before. The place in the log up to
 * which guards have judged is that of the backup: a kept guard goes on with what the guard of the backup had seen in the same unit
 * and days, or begins anew.
 */
export function keepGuards(db: ControlDatabase, held: HeldGuards): void {
  if (held.length === 0) return;
  // A backup of an earlier release has no place for them; its migration then finds the tables.
  db.exec(guardTables);
  const store = createGuardStore(db);
  const restored = store.all();
  const isThere = db.prepare<[string], unknown>('select 1 from bot where bot_id = ?');
  for (const guard of held) {
    if (isThere.get(guard.botId) === undefined) continue;
    const { botId, kind, symbol } = guard;
    const present = restored.find((one) => one.botId === botId && one.kind === kind && one.symbol === symbol);
    const wanted = guard.spec as GuardSpec;
    const before = present?.spec as GuardSpec | undefined;
    if (before !== undefined && !isLooser(wanted, before)) continue;
    const isSame = before?.unit === wanted.unit && before.zone === wanted.zone;
    store.put({ ...guard, state: isSame && present !== undefined ? present.state : NOTHING_SEEN });
  }
}
