import type { ControlDatabase } from './control-database.ts';

/** The PIN of a user. Times are milliseconds since the epoch. */
export interface PinRow {
  /** argon2id, in the PHC text form. */
  readonly hash: string;
  readonly setAt: number;
  /** Wrong PINs since the last right one, those that are being checked among them. */
  readonly wrong: number;
  readonly wrongAt: number | null;
}

/** Name of the setting that holds when the PIN of a user was last reset. A restore keeps it. */
export const pinResetSetting = (userId: string): string => `pin_reset ${userId}`;

/** Forgets when the PIN of a user was reset, who is being deleted. */
export function forgetPinReset(db: ControlDatabase, userId: string): void {
  db.prepare('delete from setting where name = ?').run(pinResetSetting(userId));
}

/** The PINs of users, in the control database. */
export function createPinStore(db: ControlDatabase) {
  const get = db.prepare<[string], PinRow>(
    'select hash, set_at as setAt, wrong, wrong_at as wrongAt from pin where user_id = ?',
  );
  const put = db.prepare(
    `insert into pin (user_id, hash, set_at) values (?, ?, ?)
     on conflict do update set hash = excluded.hash, set_at = excluded.set_at, wrong = 0, wrong_at = null`,
  );
  const remove = db.prepare('delete from pin where user_id = ?');
  const count = db.prepare('update pin set wrong = wrong + 1, wrong_at = ? where user_id = ?');
  const uncount = db.prepare('update pin set wrong = max(wrong - 1, 0) where user_id = ?');
  const forget = db.prepare('update pin set wrong = 0, wrong_at = null where user_id = ?');
  const resetAt = db.prepare<[string], { value: string }>('select value from setting where name = ?');
  const setReset = db.prepare(
    'insert into setting (name, value) values (?, ?) on conflict do update set value = excluded.value',
  );
  return {
    transaction: (work: () => void): void => db.transaction(work).immediate(),
    get: (userId: string): PinRow | null => get.get(userId) ?? null,
    /** Stores a new PIN, of which no wrong one is known. */
    put: (userId: string, hash: string, now: number): void => {
      put.run(userId, hash, now);
    },
    /** Removes a PIN, and keeps when that was. */
    reset: (userId: string, now: number): void => {
      remove.run(userId);
      setReset.run(pinResetSetting(userId), String(now));
    },
    /** When the PIN of a user was last reset; null if it never was. */
    resetAt: (userId: string): number | null => {
      const found = resetAt.get(pinResetSetting(userId));
      return found === undefined ? null : Number(found.value);
    },
    countWrong: (userId: string, now: number): void => {
      count.run(now, userId);
    },
    /** Takes back one count: the PIN could not be checked. */
    uncountWrong: (userId: string): void => {
      uncount.run(userId);
    },
    forgetWrong: (userId: string): void => {
      forget.run(userId);
    },
  };
}

export type PinStore = ReturnType<typeof createPinStore>;
