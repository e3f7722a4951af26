import type { z } from 'zod';
import type {
  ApiKey,
  AuditEntry,
  AuthStatus,
  DeviceCode,
  DevicePoll,
  KeyScope,
  NewApiKey,
  Role,
  Session,
  User,
} from '../../contract/account.ts';
import { toTimestamp } from '../../contract/common.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { AuthStore } from '../store/auth-store.ts';
import { ApiKeys } from './api-keys.ts';
import { DeviceCodes } from './device-codes.ts';
import type { Principal } from './principal.ts';
import { hashSecret, secretMatches } from './secret.ts';
import { Sessions } from './sessions.ts';
import { Users } from './users.ts';

export type { Principal } from './principal.ts';

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

interface NewKey {
  readonly name: string;
  readonly scope?: KeyScope | undefined;
  readonly expires_in_days?: number | undefined;
}

interface NewUser {
  readonly name: string;
  readonly password: string;
  readonly role?: Role | undefined;
}

interface UserChange {
  readonly user_id: string;
  readonly password?: string | undefined;
  readonly role?: Role | undefined;
}

/** Users, keys, sessions and the audit trail (wire.md section 7). Errors are PlatformError with the named code. */
export interface Auth {
  /** AUTHENTICATION_REQUIRED without a credential, INVALID_API_KEY for any that does not hold. */
  authenticate(credential: string | null): Principal;
  status(principal: Principal): AuthStatus;
  /** INVALID_CREDENTIALS, RATE_LIMITED. */
  login(input: { readonly name: string; readonly password: string }, address: string): Promise<Session>;
  /** Ends the session that asks; a key stays valid. */
  logout(principal: Principal): void;
  listKeys(userId: string): ApiKey[];
  /** KEY_NOT_FOUND. */
  getKey(userId: string, keyId: string): ApiKey;
  createKey(userId: string, input: NewKey): NewApiKey;
  /** KEY_NOT_FOUND. */
  revokeKey(userId: string, keyId: string): void;
  listUsers(): User[];
  /** USER_NOT_FOUND. */
  getUser(userId: string): User;
  /** NAME_TAKEN. */
  createUser(input: NewUser): Promise<User>;
  /** USER_NOT_FOUND, INVALID_REQUEST for the last owner. */
  updateUser(input: UserChange): Promise<User>;
  /** USER_NOT_FOUND, INVALID_REQUEST for the last owner, BOT_RUNNING while the user has bots. */
  deleteUser(userId: string): void;
  /** RATE_LIMITED. */
  startDevice(input: { readonly client: string }, approveUrl: string): z.infer<typeof DeviceCode>;
  /** INVALID_CREDENTIALS. */
  pollDevice(deviceCode: string): z.infer<typeof DevicePoll>;
  /** INVALID_CREDENTIALS, RATE_LIMITED. */
  approveDevice(userId: string, userCode: string): void;
  record(entry: AuditRecord): void;
  /** Newest first. */
  listAudit(userId: string, limit: number, before?: number): AuditEntry[];
  /** Removes what has expired. */
  prune(): void;
}

const AUDIT_KEPT_MS = 180 * 86_400_000;

/** Auth over its store. `hostToken` is the secret of the discovery file: whoever can read that is the local owner. */
export function createAuth(d: {
  readonly store: AuthStore;
  readonly now: () => number;
  readonly hostToken: string;
}): Auth {
  const { store, now } = d;
  const users = new Users(store, now);
  const keys = new ApiKeys(store, now);
  const sessions = new Sessions(store, now);
  const devices = new DeviceCodes(store, keys, now);
  const hostHash = hashSecret(d.hostToken);
  users.localOwner();

  const local = (credential: string): Principal | null => {
    if (!secretMatches(credential, hostHash)) return null;
    const { user_id, name, role } = users.localOwner();
    const none = { keyId: null, keyName: null, sessionId: null };
    return { userId: user_id, name, role, scope: 'full', method: 'local', ...none };
  };

  return {
    authenticate(credential) {
      if (credential === null || credential === '') throw new PlatformError('AUTHENTICATION_REQUIRED');
      const principal = keys.authenticate(credential) ?? sessions.authenticate(credential) ?? local(credential);
      if (principal === null) throw new PlatformError('INVALID_API_KEY');
      return principal;
    },
    status: ({ userId, name, role, scope, method, keyId, keyName }) => ({
      valid: true,
      user: { user_id: userId, name, role },
      scope,
      method,
      key: keyId === null ? null : { key_id: keyId, name: keyName ?? '' },
    }),
    login: (input, address) => sessions.login(input, address),
    logout: ({ sessionId }) => {
      if (sessionId !== null) sessions.end(sessionId);
    },
    listKeys: (userId) => keys.list(userId),
    getKey: (userId, keyId) => keys.get(userId, keyId),
    createKey: (userId, input) => keys.create(userId, input),
    revokeKey: (userId, keyId) => keys.revoke(userId, keyId),
    listUsers: () => users.list(),
    getUser: (userId) => users.get(userId),
    createUser: (input) => users.create(input),
    updateUser: (input) => users.update(input),
    deleteUser: (userId) => users.remove(userId),
    startDevice: (input, approveUrl) => devices.start(input, approveUrl),
    pollDevice: (deviceCode) => devices.poll(deviceCode),
    approveDevice: (userId, userCode) => devices.approve(userId, userCode),
    record: (entry) =>
      store.addAudit({
        at: entry.at,
        user_id: entry.userId,
        method: entry.method,
        key_id: entry.keyId,
        client: entry.client,
        operation: entry.operation,
        target: entry.target,
        outcome: entry.outcome,
        duration_ms: entry.durationMs,
      }),
    listAudit: (userId, limit, before) =>
      store.audit(userId, limit, before ?? null).map(({ at, ...row }) => ({ ...row, at: toTimestamp(at) })),
    prune: () => store.prune(now(), now() - AUDIT_KEPT_MS),
  };
}
