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
  /** Time of the backup that gave this, in ms since the epoch; a later backup knows better. Without it: set in this folder. */
  readonly as_of?: number;
}

/** Access that the people of a data folder have taken back so far: an older backup must not give it again. */
export interface HeldAccess {
  readonly revoked: readonly HeldKey[];
  /** Users whose keys were all revoked, with the time; ms since the epoch. */
  readonly ended: readonly { readonly user_id: string; readonly at: number }[];
  /** Users with their last role and password, including those without a row. */
  readonly users: readonly HeldUser[];
  /** Ids of users who were deleted and not let in again. */
  readonly deleted: readonly string[];
}

/** The setting: access without a row, and the users as the last backup gave them. */
interface Remembered extends HeldAccess {
  readonly given: readonly HeldUser[];
}

type Db = Pick<ControlDatabase, 'prepare'>;

const NONE: Remembered = { revoked: [], ended: [], users: [], deleted: [], given: [] };

const rows = <T>(db: Db, sql: string): T[] => db.prepare<[], T>(sql).all();

const presentUsers = (db: Db): HeldUser[] => rows(db, 'select user_id, role, password_hash from user');

function remembered(db: Db): Remembered {
  const [kept] = rows<{ value: string }>(db, `select value from setting where name = '${TAKEN_BACK}'`);
  return kept === undefined ? NONE : JSON.parse(kept.value);
}

function remember(db: Db, taken: Remembered): void {
  db.prepare('insert into setting (name, value) values (?, ?) on conflict do update set value = excluded.value').run(
    TAKEN_BACK,
    JSON.stringify(taken),
  );
}

const withEnd = (ended: HeldAccess['ended'], user_id: string, at: number): HeldAccess['ended'] => [
  ...ended.filter((one) => one.user_id !== user_id),
  { user_id, at },
];

/** Stores that a user lost all keys, for a later restore whose backup may hold keys without a row here. */
export function rememberKeysEnded(db: Db, userId: string, now: number): void {
  const before = remembered(db);
  remember(db, { ...before, ended: withEnd(before.ended, userId, now) });
}

/**
 * Stores the access that leaves with a deleted user, for a later restore, because the audit trail keeps it only for a
 * time. Must be called in the transaction that removes the user.
 */
export function rememberDeleted(db: Db, { user_id, role }: HeldUser, now: number): void {
  const before = remembered(db);
  remember(db, {
    ...before,
    ended: withEnd(before.ended, user_id, now),
    users: [...before.users.filter((user) => user.user_id !== user_id), { user_id, role, password_hash: null }],
    deleted: [...new Set([...before.deleted, user_id])],
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

/** Users whom a release that recorded deletions only in the audit trail has deleted, with the time. */
const auditedDeletions = (db: Db): HeldAccess['ended'] =>
  rows(
    db,
    `select target as user_id, max(at) as at from audit
     where operation = 'users.delete' and outcome = 'ok' and target is not null group by target`,
  );

const isSame = (a: HeldUser, b: HeldUser): boolean =>
  a.user_id === b.user_id && a.role === b.role && a.password_hash === b.password_hash;

const idsOf = (users: readonly HeldUser[]): Set<string> => new Set(users.map(({ user_id }) => user_id));

/** Returns the access that a control database records as taken back, in its rows and in its setting. */
function takenBack(db: Db): HeldAccess {
  const before = remembered(db);
  const present = presentUsers(db).map((user) => before.given.find((given) => isSame(given, user)) ?? user);
  const known = idsOf(present);
  const letIn = idsOf(present.filter(({ password_hash }) => password_hash !== null));
  const audited = auditedDeletions(db);
  // A missing user proves nothing: the folder may be restored to a time before the user was added.
  const deleted = new Set([...audited.map(({ user_id }) => user_id), ...before.deleted]);
  return {
    revoked: [
      ...rows<HeldKey>(db, 'select key_id, revoked_at from api_key where revoked_at is not null'),
      ...before.revoked,
    ],
    ended: before.ended.reduce((all, { user_id, at }) => withEnd(all, user_id, at), audited),
    users: [...present, ...before.users.filter(({ user_id }) => !known.has(user_id))],
    deleted: [...deleted].filter((id) => !letIn.has(id)),
  };
}

/**
 * Reads a control database, and the wishes that the disk kept out of it, before a backup replaces it. Of a missing or
 * damaged database, only the wishes are left.
 */
export function heldAccess(file: string, wishFile: string): HeldAccess {
  const revoked = unrecorded(wishFile);
  if (!existsSync(file) || controlFault(file) !== null) return { ...NONE, revoked };
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
 * one. Times are milliseconds since the epoch.
 */
export function keepAccess(
  db: ControlDatabase,
  held: HeldAccess,
  { now, madeAt }: { readonly now: number; readonly madeAt: number },
): void {
  // The folder may have been damaged or another one: the backup then knows more than `held`.
  const own = takenBack(db);
  const revoke = db.prepare('update api_key set revoked_at = coalesce(revoked_at, ?) where key_id = ?');
  const revoked = new Map(
    [...own.revoked, ...held.revoked]
      .filter(({ key_id, revoked_at }) => revoke.run(revoked_at, key_id).changes === 0)
      .map((key) => [key.key_id, key]),
  );
  const end = db.prepare(
    'update api_key set revoked_at = ? where user_id = ? and created_at <= ? and revoked_at is null',
  );
  for (const { user_id, at } of held.ended) end.run(at, user_id, at);
  const kept = held.users.filter(({ as_of = Number.POSITIVE_INFINITY }) => as_of > madeAt);
  const update = db.prepare(
    "update user set password_hash = coalesce(?, password_hash), role = iif(? = 'user', 'user', role) where user_id = ?",
  );
  const users = new Map(
    [...own.users, ...kept]
      .filter(({ user_id, role, password_hash }) => update.run(password_hash, role, user_id).changes === 0)
      .map((user) => [user.user_id, user]),
  );
  const lock = db.prepare('update user set password_hash = null where user_id = ?');
  for (const userId of held.deleted) {
    lock.run(userId);
    end.run(now, userId, now);
  }
  const letIn = idsOf(held.users.filter(({ password_hash }) => password_hash !== null));
  const fromHere = idsOf(kept);
  remember(db, {
    revoked: [...revoked.values()],
    ended: held.ended.reduce((all, { user_id, at }) => withEnd(all, user_id, at), own.ended),
    users: [...users.values()],
    deleted: [...new Set([...own.deleted.filter((id) => !letIn.has(id)), ...held.deleted])],
    given: presentUsers(db)
      .filter(({ user_id }) => !fromHere.has(user_id))
      .map((user) => ({ ...user, as_of: madeAt })),
  });
}
