import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';
import { pins } from './migrations/0031-pins.ts';

/** A PIN in a data folder, as stored. */
export interface HeldPin {
  readonly user_id: string;
  readonly hash: string;
  readonly set_at: number;
  readonly wrong: number;
  readonly wrong_at: number | null;
}

/** Reads the PINs of a control database before a backup replaces it; none where it is missing, damaged or older than PINs. */
export function heldPins(file: string): readonly HeldPin[] {
  if (!existsSync(file) || controlFault(file) !== null) return [];
  const db = new Database(file, { fileMustExist: true });
  try {
    const known = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'pin'").get();
    return known === undefined ? [] : db.prepare<[], HeldPin>('select * from pin').all();
  } finally {
    db.close();
  }
}

/** Keeps a restore from replacing or removing a PIN, and from forgetting wrong ones, by a backup from before. */
export function keepPins(db: ControlDatabase, held: readonly HeldPin[]): void {
  if (held.length === 0) return;
  // A backup of an earlier release has no place for them; its migration then finds the table.
  db.exec(pins);
  const put = db.prepare(
    `insert or replace into pin (user_id, hash, set_at, wrong, wrong_at)
     select @user_id, @hash, @set_at, @wrong, @wrong_at where exists (select 1 from user where user_id = @user_id)`,
  );
  for (const pin of held) put.run(pin);
}
