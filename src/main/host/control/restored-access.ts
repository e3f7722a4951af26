import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Role } from '../../../contract/account.ts';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';
import { Wishes } from './wishes.ts';

/** Setting with the ids of users that were deleted before a restore, whose audit trail does not tell that. */
const DELETED = 'deleted_users';

interface HeldUser {
  readonly user_id: string;
  readonly role: Role;
  readonly password_hash: string | null;
}

/** What the people of a data folder have taken back until now: a backup of before must not give it again. */
export interface HeldAccess {
  /** Keys that are revoked, each with when, in ms since the epoch. */
  readonly revoked: readonly { readonly key_id: string; readonly revoked_at: number }[];
  readonly users: readonly HeldUser[];
  /** Ids of users that somebody has deleted and nobody has let in again. */
  readonly deleted: readonly string[];
}

function unrecorded(wishFile: string): HeldAccess['revoked'] {
  if (!existsSync(wishFile)) return [];
  const wishes = new Wishes(wishFile);
  try {
    return wishes.all('key').map(([key_id, { at }]) => ({ key_id, revoked_at: at }));
  } finally {
    wishes.close();
  }
}

/**
 * Reads a control database, and what the disk kept out of it, before a backup replaces it; null where it is missing or
 * damaged.
 */
export function heldAccess(file: string, wishFile: string): HeldAccess | null {
  if (!existsSync(file) || controlFault(file) !== null) return null;
  const db = new Database(file, { fileMustExist: true });
  try {
    const all = <T>(sql: string): T[] => db.prepare<[], T>(sql).all();
    const users = all<HeldUser>('select user_id, role, password_hash from user');
    const letIn = new Set(users.flatMap(({ user_id, password_hash }) => (password_hash === null ? [] : [user_id])));
    // That a user is missing proves nothing: the folder may be restored to a time before the user came.
    const deleted = all<{ id: string }>(
      `select target as id from audit where operation = 'users.delete' and outcome = 'ok' and target is not null
       union select json_each.value as id from setting, json_each(setting.value) where setting.name = '${DELETED}'`,
    ).map(({ id }) => id);
    return {
      revoked: [
        ...all<HeldAccess['revoked'][number]>('select key_id, revoked_at from api_key where revoked_at is not null'),
        ...unrecorded(wishFile),
      ],
      users,
      deleted: deleted.filter((id) => !letIn.has(id)),
    };
  } finally {
    db.close();
  }
}

/**
 * Keeps a restore from giving back what was taken since the backup: a revoked key stays revoked, a changed password stays
 * changed, who is no owner any more comes back as none, and a deleted user comes back without password and keys.
 */
export function keepAccess(db: ControlDatabase, held: HeldAccess | null, now: number): void {
  if (held === null) return;
  const revoke = db.prepare('update api_key set revoked_at = ? where key_id = ? and revoked_at is null');
  for (const { key_id, revoked_at } of held.revoked) revoke.run(revoked_at, key_id);
  const password = db.prepare('update user set password_hash = ? where user_id = ?');
  const demote = db.prepare("update user set role = 'user' where user_id = ?");
  for (const { user_id, role, password_hash } of held.users) {
    if (password_hash !== null) password.run(password_hash, user_id);
    if (role === 'user') demote.run(user_id);
  }
  const revokeAll = db.prepare('update api_key set revoked_at = ? where user_id = ? and revoked_at is null');
  for (const userId of held.deleted) {
    password.run(null, userId);
    revokeAll.run(now, userId);
  }
  db.prepare('insert into setting (name, value) values (?, ?) on conflict do update set value = excluded.value').run(
    DELETED,
    JSON.stringify(held.deleted),
  );
}
