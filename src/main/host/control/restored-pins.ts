import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';
import { pins } from './migrations/0031-pins.ts';
import { pinResetSetting } from './pin-store.ts';

/** A PIN in a data folder, as stored. */
export interface HeldPin {
  readonly user_id: string;
  readonly hash: string;
  readonly set_at: number;
  readonly wrong: number;
  readonly wrong_at: number | null;
}

/** The users of a data folder, the PINs of those who have one, and when PINs were reset. */
export interface HeldPins {
  readonly users: readonly string[];
  readonly pins: readonly HeldPin[];
  readonly resets: readonly { readonly name: string; readonly value: string }[];
}

/** Reads the PINs of a control database before a backup replaces it; null where it is missing, damaged or older than PINs. */
export function heldPins(file: string): HeldPins | null {
  if (!existsSync(file) || controlFault(file) !== null) return null;
  const db = new Database(file, { fileMustExist: true });
  try {
    const known = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'pin'").get();
    if (known === undefined) return null;
    const users = db.prepare<[], { user_id: string }>('select user_id from user').all();
    return {
      users: users.map(({ user_id }) => user_id),
      pins: db.prepare<[], HeldPin>('select * from pin').all(),
      resets: db
        .prepare<[string], HeldPins['resets'][number]>('select name, value from setting where name glob ?')
        .all(pinResetSetting('*')),
    };
  } finally {
    db.close();
  }
}

/**
 * Keeps a restore from replacing, removing or bringing back a PIN, and from forgetting wrong ones or a reset, by a backup from before:
 * of its users the folder decides. A user whom it does not know has the PIN of the backup.
 */
export function keepPins(db: ControlDatabase, held: HeldPins | null): void {
  if (held === null) return;
  // A backup of an earlier release has no place for them; its migration then finds the table.
  db.exec(pins);
  const put = db.prepare(
    `insert or replace into pin (user_id, hash, set_at, wrong, wrong_at)
     select @user_id, @hash, @set_at, @wrong, @wrong_at where exists (select 1 from user where user_id = @user_id)`,
  );
  const remove = db.prepare('delete from pin where user_id = ?');
  const removeReset = db.prepare('delete from setting where name = ?');
  // Of a user who was deleted in the folder, the backup may know another reset.
  const putReset = db.prepare(
    `insert into setting (name, value) values (@name, @value)
     on conflict do update set value = max(cast(value as integer), cast(excluded.value as integer))`,
  );
  for (const userId of held.users) {
    remove.run(userId);
    removeReset.run(pinResetSetting(userId));
  }
  for (const pin of held.pins) put.run(pin);
  for (const reset of held.resets) putReset.run(reset);
}
