import type { KeyScope, Role } from '../../../contract/account.ts';
import type { AuditNames } from '../../../contract/audit-words.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { isUnwritable, MEND_DISK } from '../../../node/storage-error.ts';
import type { ControlDatabase } from './control-database.ts';
import { forgetPinReset } from './pin-store.ts';
import { rememberDeleted, rememberKeysEnded } from './restored-access.ts';
import type { Wish, Wishes } from './wishes.ts';

/** Rows of users, keys, sessions, device codes and the audit trail. Times are milliseconds since the epoch. */
export interface UserRow {
  readonly user_id: string;
  readonly name: string;
  readonly role: Role;
  readonly password_hash: string | null;
  readonly created_at: number;
}

export interface KeyRow {
  readonly key_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly secret_hash: Buffer;
  readonly scope: KeyScope;
  /** JSON array of the only bots the key reaches; null: all. */
  readonly bots: string | null;
  readonly extended: number;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

export interface SessionRow {
  readonly session_id: string;
  readonly user_id: string;
  readonly secret_hash: Buffer;
  readonly created_at: number;
  readonly expires_at: number;
  /** Source and program of the log-in; null for sessions older than these columns. */
  readonly source: string | null;
  readonly client: string | null;
  readonly last_used_at: number | null;
}

export interface DeviceRow {
  readonly device_hash: Buffer;
  readonly user_code: string;
  readonly client: string;
  readonly expires_at: number;
  readonly user_id: string | null;
  readonly approved_at: number | null;
  /** Location of the program that shows the code. */
  readonly source: string;
  /** Scope and lifetime in days that the approver gives the key; null days: it does not expire. */
  readonly scope: KeyScope | null;
  readonly expires_in_days: number | null;
}

export interface AuditRow {
  readonly audit_id: number;
  readonly at: number;
  readonly user_id: string | null;
  readonly method: string;
  readonly key_id: string | null;
  readonly client: string | null;
  readonly operation: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly duration_ms: number;
  /** JSON object of texts; null if no names were stored. */
  readonly names: string | null;
}

/** Rows of one insert: one statement for each row would cost twice as much. */
const AUDIT_BATCH = 50;
/**
 * Newest recorded calls of a user among which those that changed a bot are searched. A change from before them has no author
 * any more. Of those that are found, `api/match-events-to-calls.ts` looks at the newest.
 */
const CALLS_SEARCHED = 20_000;

const insertAudits = (count: number): string =>
  `insert into audit (at, user_id, method, key_id, client, operation, target, outcome, duration_ms, names) values ${Array.from({ length: count }, () => '(?,?,?,?,?,?,?,?,?,?)').join(',')}`;

/** Targets and operations of the audited calls to find. */
export interface AuditWanted {
  readonly targets: readonly string[];
  readonly operations: readonly string[];
}

/** A bot of which the trail is to tell: its calls name it by id, its deployment by name. */
export interface AuditedBot {
  readonly ids: readonly string[];
  /** The name that entries kept of their time; null: they are found by id alone. */
  readonly name: string | null;
  /** Operations that make a bot, the name they were asked for, and when it was made (ms); null: whenever. */
  readonly deployed: {
    readonly operations: readonly string[];
    readonly name: string;
    readonly at: number | null;
  } | null;
}

/** What entries of a user must have; null: anything. Times are milliseconds since the epoch. */
export interface AuditFilter {
  readonly from: number | null;
  readonly to: number | null;
  /** Ids of keys, one of which made the call. */
  readonly keys: readonly string[] | null;
  /** True: no key made the call. */
  readonly inPerson: boolean;
  readonly operations: readonly string[] | null;
  readonly bot: AuditedBot | null;
}

/** Tolerance in ms: an operation is timed to a fraction of a millisecond, a bot's record to a whole one. */
const COARSE_MS = 2;

/** One audited call. */
export interface AuditRecord {
  readonly at: number;
  readonly userId: string | null;
  readonly method: string;
  readonly keyId: string | null;
  readonly client: string | null;
  readonly operation: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly durationMs: number;
  /** Names of the call's objects at the time of the call. */
  readonly names?: AuditNames;
}

function auditValues(of: AuditRecord): (string | number | null)[] {
  const { at, userId, method, keyId, client, operation, target, outcome, durationMs, names = {} } = of;
  const kept = Object.keys(names).length === 0 ? null : JSON.stringify(names);
  return [at, userId, method, keyId, client, operation, target, outcome, durationMs, kept];
}

const LIST_AUDIT = `
select * from audit where user_id = @user and (@before is null or audit_id < @before)
  and (@from is null or at >= @from) and (@to is null or at < @to)
  and (@keys is null or key_id in (select value from json_each(@keys)))
  and (@inPerson = 0 or key_id is null)
  and (@operations is null or operation in (select value from json_each(@operations)))
  and (@bots is null or target in (select value from json_each(@bots)) or names ->> '$.bot' = @name
    or (target = @deployed and operation in (select value from json_each(@deployments))
      and (@deployedAt is null or (at <= @deployedAt + ${COARSE_MS} and at + duration_ms >= @deployedAt - ${COARSE_MS}))))
order by audit_id desc limit @limit`;

type AuditParameters = Readonly<Record<string, string | number | null>>;

function auditParameters(
  user: string,
  limit: number,
  before: number | null,
  filter: AuditFilter | null,
): AuditParameters {
  const { from = null, to = null, keys = null, inPerson = false, operations = null, bot = null } = filter ?? {};
  const listed = (values: readonly string[] | null): string | null => values && JSON.stringify(values);
  return {
    ...{
      user,
      limit,
      before,
      from,
      to,
      keys: listed(keys),
      inPerson: Number(inPerson),
      operations: listed(operations),
    },
    bots: listed(bot?.ids ?? null),
    name: bot?.name ?? null,
    deployed: bot?.deployed?.name ?? null,
    deployments: listed(bot?.deployed?.operations ?? []),
    deployedAt: bot?.deployed?.at ?? null,
  };
}

/** Returns a key with its revocation, also where a full disk keeps the revocation out of its row. */
function asRevoked(row: KeyRow, wish: Wish | undefined): KeyRow {
  return wish === undefined ? row : { ...row, revoked_at: row.revoked_at ?? wish.at };
}

/** AuthStore over the control database. On a full disk, `wishes` keeps the revocations of keys and the ends of sessions. */
export function createAuthStore(db: ControlDatabase, wishes: Wishes) {
  const orWish = (id: string, wish: Wish, record: () => void): void => {
    try {
      record();
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      wishes.keep(id, wish);
      if (wishes.store(id)) return;
      throw new PlatformError('STORAGE_FULL', 'It is no longer valid, but the disk prevented recording that', {
        hint: `${MEND_DISK} The host then records it by itself. Until then, a host that restarts accepts it again.`,
      });
    }
  };
  const user = {
    byId: db.prepare<[string], UserRow>('select * from user where user_id = ?'),
    byName: db.prepare<[string], UserRow>('select * from user where name = ?'),
    all: db.prepare<[], UserRow>('select * from user order by created_at, user_id'),
    add: db.prepare(
      'insert into user (user_id, name, role, password_hash, created_at) values (@user_id, @name, @role, @password_hash, @created_at)',
    ),
    update: db.prepare('update user set password_hash = ?, role = ? where user_id = ?'),
    remove: db.prepare('delete from user where user_id = ?'),
    owns: db.prepare<[string, string], { found: number }>(
      'select exists(select 1 from bot where user_id = ?) or exists(select 1 from custom_bot_version where user_id = ?) as found',
    ),
  };
  const key = {
    byId: db.prepare<[string], KeyRow>('select * from api_key where key_id = ?'),
    all: db.prepare<[string], KeyRow>('select * from api_key where user_id = ? order by created_at, key_id'),
    add: db.prepare(
      'insert into api_key (key_id, user_id, name, secret_hash, scope, bots, extended, created_at, expires_at) values (@key_id, @user_id, @name, @secret_hash, @scope, @bots, @extended, @created_at, @expires_at)',
    ),
    used: db.prepare('update api_key set last_used_at = ? where key_id = ?'),
    revoke: db.prepare('update api_key set revoked_at = ? where key_id = ? and revoked_at is null'),
    revokeOf: db.prepare('update api_key set revoked_at = ? where user_id = ? and revoked_at is null'),
  };
  const session = {
    byId: db.prepare<[string], SessionRow>('select * from session where session_id = ?'),
    of: db.prepare<[string, number], SessionRow>(
      'select * from session where user_id = ? and expires_at > ? order by created_at desc, session_id',
    ),
    add: db.prepare(
      'insert into session (session_id, user_id, secret_hash, created_at, expires_at, source, client) values (@session_id, @user_id, @secret_hash, @created_at, @expires_at, @source, @client)',
    ),
    used: db.prepare('update session set last_used_at = ? where session_id = ?'),
    remove: db.prepare('delete from session where session_id = ?'),
    removeOf: db.prepare('delete from session where user_id = ? and session_id is not ?'),
    prune: db.prepare('delete from session where expires_at <= ?'),
  };
  const device = {
    byHash: db.prepare<[Buffer], DeviceRow>('select * from device_code where device_hash = ?'),
    byCode: db.prepare<[string], DeviceRow>('select * from device_code where user_code = ?'),
    waiting: db.prepare<[], { source: string; n: number }>(
      'select source, count(*) as n from device_code where user_id is null group by source order by n desc, min(rowid)',
    ),
    dropOldest: db.prepare(
      'delete from device_code where rowid = (select min(rowid) from device_code where user_id is null and source = ?)',
    ),
    add: db.prepare(
      'insert into device_code (device_hash, user_code, client, expires_at, source) values (@device_hash, @user_code, @client, @expires_at, @source)',
    ),
    approve: db.prepare(
      'update device_code set user_id = ?, approved_at = ?, scope = ?, expires_in_days = ? where user_code = ?',
    ),
    remove: db.prepare('delete from device_code where device_hash = ?'),
    removeOf: db.prepare('delete from device_code where user_id = ?'),
    prune: db.prepare('delete from device_code where expires_at <= ?'),
  };
  const audit = {
    addBatch: db.prepare(insertAudits(AUDIT_BATCH)),
    list: db.prepare<[AuditParameters], AuditRow>(LIST_AUDIT),
    of: db.prepare<[string, string, string, number], AuditRow>(
      `select * from (select * from audit where user_id = ? order by audit_id desc limit ${CALLS_SEARCHED})
       where outcome in ('ok', 'waiting') and target in (select value from json_each(?)) and operation in (select value from json_each(?))
       order by audit_id desc limit ?`,
    ),
    prune: db.prepare('delete from audit where at < @before'),
    pruneOf: db.prepare(
      'delete from audit where user_id is @user and audit_id <= (select audit_id from audit where user_id is @user order by audit_id desc limit 1 offset @most)',
    ),
    users: db.prepare<[], { user_id: string | null }>('select distinct user_id from audit'),
  };
  const setting = {
    get: db.prepare<[string], { value: string }>('select value from setting where name = ?'),
    set: db.prepare('insert into setting (name, value) values (?, ?) on conflict do update set value = excluded.value'),
  };
  const endSession = db.transaction((id: string) => {
    const userId = session.byId.get(id)?.user_id;
    if (userId !== undefined) device.removeOf.run(userId);
    session.remove.run(id);
  }).immediate;
  return {
    /** Records in the control database what a full disk kept in the wishes. Throws while there is no space. */
    recordWishes(): void {
      for (const [id, { at }] of wishes.all('key')) {
        key.revoke.run(at, id);
        wishes.drop(id);
      }
      for (const [id] of wishes.all('session')) {
        endSession(id);
        wishes.drop(id);
      }
    },
    /** Id of this machine's own user; null before the first start. */
    localOwner: () => setting.get.get('local_owner')?.value ?? null,
    setLocalOwner: (id: string) => void setting.set.run('local_owner', id),
    /** Key of the tokens by which the host recognises browsers; the first call stores the result of `make`. */
    browserSecret(make: () => string): string {
      const known = setting.get.get('browser_secret')?.value;
      if (known !== undefined) return known;
      const made = make();
      setting.set.run('browser_secret', made);
      return made;
    },
    transaction: <T>(work: () => T): T => db.transaction(work).immediate(),
    userById: (id: string) => user.byId.get(id) ?? null,
    userByName: (name: string) => user.byName.get(name) ?? null,
    users: () => user.all.all(),
    addUser: (row: UserRow) => void user.add.run(row),
    updateUser: (id: string, passwordHash: string | null, role: Role) => void user.update.run(passwordHash, role, id),
    /** Removes a user with keys, sessions and PIN. Must be called in a transaction. */
    removeUser(row: UserRow, now: number): void {
      rememberDeleted(db, row, now);
      user.remove.run(row.user_id);
      forgetPinReset(db, row.user_id);
    },
    /** True while bots or custom bots of the user exist. */
    ownsAnything: (id: string) => user.owns.get(id, id)?.found === 1,
    keyById(id: string): KeyRow | null {
      const row = key.byId.get(id);
      return row === undefined ? null : asRevoked(row, wishes.get(id));
    },
    keysOf: (userId: string) => key.all.all(userId).map((row) => asRevoked(row, wishes.get(row.key_id))),
    addKey: (row: Omit<KeyRow, 'last_used_at' | 'revoked_at'>) => void key.add.run(row),
    keyUsed: (id: string, at: number) => void key.used.run(at, id),
    revokeKey: (id: string, at: number) => orWish(id, { wish: 'revoke', at }, () => key.revoke.run(at, id)),
    /** Must be called in a transaction. */
    revokeKeysOf(userId: string, at: number): void {
      key.revokeOf.run(at, userId);
      rememberKeysEnded(db, userId, at);
    },
    sessionById: (id: string) => (wishes.get(id) === undefined ? (session.byId.get(id) ?? null) : null),
    /** Unexpired sessions of a user, newest first. */
    sessionsOf: (userId: string, now: number) =>
      session.of.all(userId, now).filter((row) => wishes.get(row.session_id) === undefined),
    addSession: (row: Omit<SessionRow, 'last_used_at'>) => void session.add.run(row),
    sessionUsed: (id: string, at: number) => void session.used.run(at, id),
    removeSession: (id: string, at: number) => orWish(id, { wish: 'end', at }, () => session.remove.run(id)),
    /** Removes a session, with the device codes that its user approved and no program has collected. */
    removeSessionAndDevices: (id: string, at: number) => orWish(id, { wish: 'end', at }, () => endSession(id)),
    /** Removes all sessions of a user except `kept`. */
    removeSessionsOf: (userId: string, kept: string | null = null) => void session.removeOf.run(userId, kept),
    deviceByHash: (hash: Buffer) => device.byHash.get(hash) ?? null,
    deviceByCode: (code: string) => device.byCode.get(code) ?? null,
    /** Sources with codes that wait for approval, and the number of codes of each; the largest first. */
    devicesWaiting: () => device.waiting.all(),
    /** Removes the oldest code of a source that waits for approval. */
    dropOldestDevice: (source: string) => void device.dropOldest.run(source),
    addDevice: (row: Pick<DeviceRow, 'device_hash' | 'user_code' | 'client' | 'expires_at' | 'source'>) =>
      void device.add.run(row),
    approveDevice: (
      code: string,
      { userId, at, scope, days }: { userId: string; at: number; scope: KeyScope; days: number | null },
    ) => void device.approve.run(userId, at, scope, days, code),
    removeDevice: (hash: Buffer) => void device.remove.run(hash),
    /** Removes the codes that a user has approved and no program has collected yet. */
    removeDevicesOf: (userId: string) => void device.removeOf.run(userId),
    /** Adds entries in their order. */
    addAudits(rows: readonly AuditRecord[]): void {
      for (let at = 0; at < rows.length; at += AUDIT_BATCH) {
        const batch = rows.slice(at, at + AUDIT_BATCH);
        const insert = batch.length === AUDIT_BATCH ? audit.addBatch : db.prepare(insertAudits(batch.length));
        insert.run(batch.flatMap(auditValues));
      }
    },
    auditOf: (userId: string, { targets, operations }: AuditWanted, limit: number) =>
      audit.of.all(userId, JSON.stringify(targets), JSON.stringify(operations), limit),
    audit: (userId: string, limit: number, before: number | null, filter: AuditFilter | null) =>
      audit.list.all(auditParameters(userId, limit, before, filter)),
    /** Removes sessions and device codes that have expired. */
    pruneExpired(now: number): void {
      session.prune.run(now);
      device.prune.run(now);
    },
    /**
     * Removes audit entries older than `before`, and the oldest beyond `most` per user, `mostOfNobody` for calls
     * without a user.
     */
    pruneAudit(kept: { readonly before: number; readonly most: number; readonly mostOfNobody: number }): void {
      audit.prune.run({ before: kept.before });
      for (const { user_id: user } of audit.users.all()) {
        audit.pruneOf.run({ user, most: user === null ? kept.mostOfNobody : kept.most });
      }
    },
  };
}

export type AuthStore = ReturnType<typeof createAuthStore>;
