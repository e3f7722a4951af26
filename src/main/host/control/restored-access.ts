import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Role } from '../../../contract/account.ts';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';
import { Wishes } from './wishes.ts';

/** Setting with the revocations and deletions that no row of this database shows any more. */
const TAKEN_BACK = 'taken_back';

interface HeldKey {
  readonly key_id: string;
  /** Milliseconds since the epoch. */
  readonly revoked_at: number;
}

interface HeldUser {
  readonly user_id: string;
  readonly role: Role;
  readonly password_hash: string | null;
}

/** Access that the people of a data folder have taken back so far: an older backup must not give it again. */
export interface HeldAccess {
  readonly revoked: readonly HeldKey[];
  /** Users with their last role and password, including those without a row. */
  readonly users: readonly HeldUser[];
  /** Ids of users who were deleted and not let in again. */
  readonly deleted: readonly string[];
}

type Db = Pick<ControlDatabase, 'prepare'>;

const rows = <T>(db: Db, sql: string): T[] => db.prepare<[], T>(sql).all();

function remembered(db: Db): HeldAccess {
  const [kept] = rows<{ value: string }>(db, `select value from setting where name = '${TAKEN_BACK}'`);
  return kept === undefined ? { revoked: [], users: [], deleted: [] } : JSON.parse(kept.value);
}

function remember(db: Db, taken: HeldAccess): void {
  db.prepare('insert into setting (name, value) values (?, ?) on conflict do update set value = excluded.value').run(
    TAKEN_BACK,
    JSON.stringify(taken),
  );
}

/**
 * Stores the access that leaves with a deleted user, for a later restore, because the audit trail keeps it only for a
 * time. Must be called in the transaction that removes the user, before the removal.
 */
export function rememberDeleted(db: Db, { user_id, role }: HeldUser, now: number): void {
  const { revoked, users, deleted } = remembered(db);
  const keys = db.prepare<[string], { key_id: string }>('select key_id from api_key where user_id = ?').all(user_id);
  remember(db, {
    revoked: [...revoked, ...keys.map(({ key_id }) => ({ key_id, revoked_at: now }))],
    users: [...users.filter((user) => user.user_id !== user_id), { user_id, role, password_hash: null }],
    deleted: [...new Set([...deleted, user_id])],
  });
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

/** Returns the access that a control database records as taken back, in its rows and in its setting. */
function takenBack(db: Db): HeldAccess {
  const before = remembered(db);
  const users = rows<HeldUser>(db, 'select user_id, role, password_hash from user');
  const known = new Set(users.map(({ user_id }) => user_id));
  const letIn = new Set(users.flatMap(({ user_id, password_hash }) => (password_hash === null ? [] : [user_id])));
  // A missing user proves nothing: the folder may be restored to a time before the user was added. Releases before this
  // one recorded a deletion only in the audit trail.
  const deleted = rows<{ id: string }>(
    db,
    "select target as id from audit where operation = 'users.delete' and outcome = 'ok' and target is not null",
  ).map(({ id }) => id);
  const revoked = rows<HeldKey>(db, 'select key_id, revoked_at from api_key where revoked_at is not null');
  return {
    revoked: [...revoked, ...before.revoked],
    users: [...users, ...before.users.filter(({ user_id }) => !known.has(user_id))],
    deleted: [...new Set([...deleted, ...before.deleted])].filter((id) => !letIn.has(id)),
  };
}

/**
 * Reads a control database, and the wishes that the disk kept out of it, before a backup replaces it. Of a missing or
 * damaged database, only the wishes are left.
 */
export function heldAccess(file: string, wishFile: string): HeldAccess {
  const revoked = unrecorded(wishFile);
  if (!existsSync(file) || controlFault(file) !== null) return { revoked, users: [], deleted: [] };
  const db = new Database(file, { fileMustExist: true });
  try {
    const taken = takenBack(db);
    return { ...taken, revoked: [...taken.revoked, ...revoked] };
  } finally {
    db.close();
  }
}

/**
 * Keeps a restore from giving back access that was taken away since the backup: a revoked key stays revoked, a changed
 * password stays changed, a former owner does not become owner again, and a deleted user comes back without password
 * and keys. Entries for which the restored database has no row are kept for the next restore, whose backup may have
 * one.
 */
export function keepAccess(db: ControlDatabase, held: HeldAccess, now: number): void {
  // The folder may have been damaged or another one: the backup then knows more than `held`.
  const own = takenBack(db);
  const revoke = db.prepare('update api_key set revoked_at = coalesce(revoked_at, ?) where key_id = ?');
  const revoked = new Map(
    [...own.revoked, ...held.revoked]
      .filter(({ key_id, revoked_at }) => revoke.run(revoked_at, key_id).changes === 0)
      .map((key) => [key.key_id, key]),
  );
  const update = db.prepare(
    "update user set password_hash = coalesce(?, password_hash), role = iif(? = 'user', 'user', role) where user_id = ?",
  );
  const users = new Map(
    [...own.users, ...held.users]
      .filter(({ user_id, role, password_hash }) => update.run(password_hash, role, user_id).changes === 0)
      .map((user) => [user.user_id, user]),
  );
  const lock = db.prepare('update user set password_hash = null where user_id = ?');
  const revokeAll = db.prepare('update api_key set revoked_at = ? where user_id = ? and revoked_at is null');
  for (const userId of held.deleted) {
    lock.run(userId);
    revokeAll.run(now, userId);
  }
  const deleted = [...new Set([...own.deleted, ...held.deleted])];
  remember(db, { revoked: [...revoked.values()], users: [...users.values()], deleted });
}
