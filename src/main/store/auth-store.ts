import type { KeyScope, Role } from '../../contract/account.ts';
import type { ControlDatabase } from './control-database.ts';

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
}

export interface DeviceRow {
  readonly device_hash: Buffer;
  readonly user_code: string;
  readonly client: string;
  readonly expires_at: number;
  readonly user_id: string | null;
  readonly approved_at: number | null;
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
}

/** Rows of one insert: a statement for each would cost twice as much. */
const AUDIT_BATCH = 50;

const insertAudits = (count: number): string =>
  `insert into audit (at, user_id, method, key_id, client, operation, target, outcome, duration_ms) values ${Array.from({ length: count }, () => '(?,?,?,?,?,?,?,?,?)').join(',')}`;

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
}

function auditValues(of: AuditRecord): (string | number | null)[] {
  const { at, userId, method, keyId, client, operation, target, outcome, durationMs } = of;
  return [at, userId, method, keyId, client, operation, target, outcome, durationMs];
}

/** AuthStore over the control database. */
export function createAuthStore(db: ControlDatabase) {
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
    revoke: db.prepare('update api_key set revoked_at = ? where key_id = ?'),
  };
  const session = {
    byId: db.prepare<[string], SessionRow>('select * from session where session_id = ?'),
    add: db.prepare(
      'insert into session (session_id, user_id, secret_hash, created_at, expires_at) values (@session_id, @user_id, @secret_hash, @created_at, @expires_at)',
    ),
    remove: db.prepare('delete from session where session_id = ?'),
    removeOf: db.prepare('delete from session where user_id = ? and session_id is not ?'),
    prune: db.prepare('delete from session where expires_at <= ?'),
  };
  const device = {
    byHash: db.prepare<[Buffer], DeviceRow>('select * from device_code where device_hash = ?'),
    byCode: db.prepare<[string], DeviceRow>('select * from device_code where user_code = ?'),
    count: db.prepare<[], { n: number }>('select count(*) as n from device_code'),
    add: db.prepare(
      'insert into device_code (device_hash, user_code, client, expires_at) values (@device_hash, @user_code, @client, @expires_at)',
    ),
    approve: db.prepare('update device_code set user_id = ?, approved_at = ? where user_code = ?'),
    remove: db.prepare('delete from device_code where device_hash = ?'),
    prune: db.prepare('delete from device_code where expires_at <= ?'),
  };
  const audit = {
    addBatch: db.prepare(insertAudits(AUDIT_BATCH)),
    list: db.prepare<[string, number | null, number | null, number], AuditRow>(
      'select * from audit where user_id = ? and (? is null or audit_id < ?) order by audit_id desc limit ?',
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
  return {
    /** Id of the user who is at home on this machine; null before the first start. */
    localOwner: () => setting.get.get('local_owner')?.value ?? null,
    setLocalOwner: (id: string) => void setting.set.run('local_owner', id),
    transaction: <T>(work: () => T): T => db.transaction(work).immediate(),
    userById: (id: string) => user.byId.get(id) ?? null,
    userByName: (name: string) => user.byName.get(name) ?? null,
    users: () => user.all.all(),
    addUser: (row: UserRow) => void user.add.run(row),
    updateUser: (id: string, passwordHash: string | null, role: Role) => void user.update.run(passwordHash, role, id),
    removeUser: (id: string) => void user.remove.run(id),
    /** True while bots or custom bots of the user exist. */
    ownsAnything: (id: string) => user.owns.get(id, id)?.found === 1,
    keyById: (id: string) => key.byId.get(id) ?? null,
    keysOf: (userId: string) => key.all.all(userId),
    addKey: (row: Omit<KeyRow, 'last_used_at' | 'revoked_at'>) => void key.add.run(row),
    keyUsed: (id: string, at: number) => void key.used.run(at, id),
    revokeKey: (id: string, at: number) => void key.revoke.run(at, id),
    sessionById: (id: string) => session.byId.get(id) ?? null,
    addSession: (row: SessionRow) => void session.add.run(row),
    removeSession: (id: string) => void session.remove.run(id),
    /** All sessions of a user, but the one that is kept. */
    removeSessionsOf: (userId: string, kept: string | null = null) => void session.removeOf.run(userId, kept),
    deviceByHash: (hash: Buffer) => device.byHash.get(hash) ?? null,
    deviceByCode: (code: string) => device.byCode.get(code) ?? null,
    devices: () => device.count.get()?.n ?? 0,
    addDevice: (row: Pick<DeviceRow, 'device_hash' | 'user_code' | 'client' | 'expires_at'>) =>
      void device.add.run(row),
    approveDevice: (code: string, userId: string, at: number) => void device.approve.run(userId, at, code),
    removeDevice: (hash: Buffer) => void device.remove.run(hash),
    /** Adds entries in their order. */
    addAudits(rows: readonly AuditRecord[]): void {
      for (let at = 0; at < rows.length; at += AUDIT_BATCH) {
        const batch = rows.slice(at, at + AUDIT_BATCH);
        const insert = batch.length === AUDIT_BATCH ? audit.addBatch : db.prepare(insertAudits(batch.length));
        insert.run(batch.flatMap(auditValues));
      }
    },
    audit: (userId: string, limit: number, before: number | null) => audit.list.all(userId, before, before, limit),
    /** Removes sessions and device codes that have expired. */
    pruneExpired(now: number): void {
      session.prune.run(now);
      device.prune.run(now);
    },
    /** Removes audit entries that are too old, and of each user the oldest of too many; those of nobody have a limit too. */
    pruneAudit(kept: { readonly before: number; readonly most: number; readonly mostOfNobody: number }): void {
      audit.prune.run({ before: kept.before });
      for (const { user_id: user } of audit.users.all()) {
        audit.pruneOf.run({ user, most: user === null ? kept.mostOfNobody : kept.most });
      }
    },
  };
}

export type AuthStore = ReturnType<typeof createAuthStore>;
