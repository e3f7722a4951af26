import type { z } from 'zod';
import type {
  ApiKey,
  AuthStatus,
  DeviceApproval,
  DeviceCode,
  DeviceGrant,
  DevicePoll,
  LoginLink,
  NewApiKey,
  NewSession,
  Role,
  SessionInfo,
  User,
} from '../../../contract/account.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { isUnwritable } from '../../../node/storage-error.ts';
import type { AuditFilter, AuditRecord, AuditWanted, AuthStore } from '../control/auth-store.ts';
import { ApiKeys, type NewKey } from './api-keys.ts';
import { AuditTrail, type KeptAuditEntry } from './audit-trail.ts';
import { DeviceCodes } from './device-codes.ts';
import { KnownBrowsers } from './known-browsers.ts';
import { LastUsed } from './last-used.ts';
import { LoginLinks } from './login-links.ts';
import type { LoginOrigin } from './login-origin.ts';
import type { Gained, Principal } from './principal.ts';
import { Sessions } from './sessions.ts';
import { hashSecret, secretMatches } from './token.ts';
import { Users } from './users.ts';

export type { AuditRecord } from '../control/auth-store.ts';
export type { LoginOrigin } from './login-origin.ts';
export type { Gained, Principal } from './principal.ts';

/** A recognised caller, and for how long the result may be reused. */
export interface Recognised {
  readonly principal: Principal;
  /** Number of revocations of any key or session so far. */
  readonly round: number;
  readonly from: number;
  readonly until: number;
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

/** Users, keys, sessions and the audit trail. Errors are PlatformError with the named code. */
export interface Auth {
  /** Throws AUTHENTICATION_REQUIRED without a credential, INVALID_API_KEY for an invalid one. */
  authenticate(credential: string | null): Principal;
  /** As `authenticate`, with the time for which the answer may be reused for the same credential. */
  recognise(credential: string | null): Recognised;
  /** True while an earlier recognition certainly still holds, because nothing was revoked since. */
  isFresh(known: Recognised): boolean;
  status(principal: Principal): AuthStatus;
  /** Throws INVALID_CREDENTIALS or RATE_LIMITED. */
  login(input: { readonly name: string; readonly password: string }, origin: LoginOrigin): Promise<NewSession>;
  /**
   * The token that a browser keeps after this user's log-in, so that failed log-ins from elsewhere do not lock the user
   * out of that browser. It grants no access.
   */
  browserToken(userId: string): string;
  /** Makes a link at `origin` that logs a browser in once, as this user. */
  makeLink(userId: string, origin: string): LoginLink;
  /** Logs in by a ticket of such a link. Throws INVALID_CREDENTIALS. */
  enter(ticket: string, origin: LoginOrigin): NewSession;
  /** Ends all other sessions. Throws INVALID_CREDENTIALS, INVALID_REQUEST or RATE_LIMITED. */
  changePassword(
    principal: Principal,
    input: { readonly old_password?: string | undefined; readonly new_password: string },
  ): Promise<void>;
  /** Ends the calling session; a key stays valid. */
  logout(principal: Principal): void;
  /** Valid sessions of a user; the one of `principal` is marked. */
  listSessions(userId: string, principal: Principal): SessionInfo[];
  /** Ends a session of the caller; owners may end any user's. Throws SESSION_NOT_FOUND. */
  endSession(principal: Principal, sessionId: string): void;
  listKeys(userId: string): ApiKey[];
  /** Throws KEY_NOT_FOUND. */
  getKey(userId: string, keyId: string): ApiKey;
  createKey(userId: string, input: NewKey): NewApiKey;
  /** Throws KEY_NOT_FOUND. */
  revokeKey(userId: string, keyId: string): void;
  listUsers(): User[];
  /** Throws USER_NOT_FOUND. */
  getUser(userId: string): User;
  /** Throws NAME_TAKEN. */
  createUser(input: NewUser): Promise<User>;
  /**
   * Changes a user. A new password ends the sessions of the user and, if another user set it, revokes the user's keys.
   * Throws USER_NOT_FOUND, or INVALID_REQUEST for the last owner.
   */
  updateUser(input: UserChange, by: Principal): Promise<User>;
  /** Throws USER_NOT_FOUND, INVALID_REQUEST for the last owner, or BOT_RUNNING while the user has bots. */
  deleteUser(userId: string): void;
  /** Starts a log-in by code. `source` is where the program runs; new codes displace older ones of the same source. */
  startDevice(input: { readonly client: string }, approveUrl: string, source: string): z.infer<typeof DeviceCode>;
  /** Throws INVALID_CREDENTIALS. */
  pollDevice(deviceCode: string): z.infer<typeof DevicePoll>;
  /** Throws INVALID_CREDENTIALS or RATE_LIMITED. */
  approveDevice(userId: string, input: DeviceApproval): z.infer<typeof DeviceGrant>;
  /** Calls `listener` whenever a key or session is revoked. Returns a function that unsubscribes. */
  onTakenBack(listener: () => void): () => void;
  /** Calls `listener` in the transaction of each new session and key. It is called once. */
  onGained(listener: (gained: Gained) => void): void;
  /** Writes an audit entry; it is on disk when this returns. */
  record(entry: AuditRecord): void;
  /** As record, for calls that changed nothing: written in batches within a quarter of a second. */
  recordSoon(entry: AuditRecord): void;
  /** Audit entries of a user, newest first. */
  listAudit(userId: string, limit: number, before?: number, filter?: AuditFilter | null): KeptAuditEntry[];
  /**
   * Successful calls of these operations on these targets, newest first, among the newest 20,000 entries of the user.
   */
  listAuditOf(userId: string, wanted: AuditWanted, limit: number): KeptAuditEntry[];
  /** Removes everything expired. */
  prune(): void;
  /** Records in the control database what a full disk kept out of it, if there is space again. */
  settle(): void;
  /** Writes the waiting audit entries. */
  close(): void;
}

/** Time for which a recognised credential is cached; a revocation clears the cache at once. */
const RECENT_MS = 1000;
/**
 * Auth over its store. `hostToken` is the secret of the discovery file: a process that can read it acts as the local
 * owner.
 */
export function createAuth(d: {
  readonly store: AuthStore;
  readonly now: () => number;
  readonly hostToken: string;
  /** Receives errors of background work. */
  readonly onError: (where: string, error: unknown) => void;
}): Auth {
  const { store, now } = d;
  const users = new Users(store, now);
  const keysUsed = new LastUsed(store.keyUsed, d.onError);
  const sessionsUsed = new LastUsed(store.sessionUsed, d.onError);
  let tell: (gained: Gained) => void = () => undefined;
  const gained = (one: Gained): void => tell(one);
  const keys = new ApiKeys({ store, now, used: keysUsed, gained });
  const browsers = new KnownBrowsers(store);
  const sessions = new Sessions({ store, now, browsers, used: sessionsUsed, gained });
  const links = new LoginLinks(now);
  const devices = new DeviceCodes(store, keys, now);
  const audit = new AuditTrail(store, d.onError);
  const hostHash = hashSecret(d.hostToken);
  users.localOwner();

  const listeners = new Set<() => void>();
  let round = 0;
  const recognise = (credential: string | null): Recognised => {
    if (credential === null || credential === '') throw new PlatformError('AUTHENTICATION_REQUIRED');
    const principal = keys.authenticate(credential) ?? sessions.authenticate(credential) ?? local(credential);
    if (principal === null) throw new PlatformError('INVALID_API_KEY');
    const from = now();
    return {
      principal,
      round,
      from,
      until: Math.min(from + RECENT_MS, principal.expiresAt ?? Number.POSITIVE_INFINITY),
    };
  };
  const takenBack = (): void => {
    round += 1;
    for (const listener of listeners) listener();
  };
  const settle = (): void => {
    try {
      store.recordWishes();
    } catch (error) {
      // The wishes stay stored, and the next tick tries again.
      if (!isUnwritable(error)) throw error;
    }
    for (const used of [keysUsed, sessionsUsed]) used.settle();
  };
  const local = (credential: string): Principal | null => {
    if (!secretMatches(credential, hostHash)) return null;
    const { user_id, name, role } = users.localOwner();
    const none = { keyId: null, keyName: null, sessionId: null, expiresAt: null };
    return { userId: user_id, name, role, scope: 'full', botIds: null, extended: true, method: 'local', ...none };
  };

  return {
    authenticate: (credential) => recognise(credential).principal,
    recognise,
    isFresh: (known) => known.round === round && known.from <= now() && now() < known.until,
    status: ({ userId, name, role, scope, botIds, method, keyId, keyName }) => ({
      valid: true,
      user: { user_id: userId, name, role },
      scope,
      bots: botIds === null ? null : [...botIds],
      method,
      key: keyId === null ? null : { key_id: keyId, name: keyName ?? '' },
    }),
    login: (input, origin) => sessions.login(input, origin),
    browserToken: (userId) => browsers.tokenFor(userId),
    makeLink: (userId, origin) => links.make(userId, origin),
    enter: (ticket, origin) => sessions.enter(links.use(ticket), origin),
    async changePassword({ userId, sessionId }, input) {
      await sessions.changePassword(userId, input, sessionId);
      links.forget(userId);
      takenBack();
    },
    logout({ sessionId }) {
      try {
        if (sessionId !== null) sessions.end(sessionId);
      } finally {
        takenBack();
      }
    },
    listSessions: (userId, { sessionId }) => sessions.list(userId, sessionId),
    endSession({ userId, role }, sessionId) {
      try {
        sessions.endOf(role === 'owner' ? null : userId, sessionId, (of) => links.forget(of));
      } finally {
        takenBack();
      }
    },
    listKeys: (userId) => keys.list(userId),
    getKey: (userId, keyId) => keys.get(userId, keyId),
    createKey: (userId, input) => keys.create(userId, input),
    revokeKey(userId, keyId) {
      try {
        keys.revoke(userId, keyId);
      } finally {
        takenBack();
      }
    },
    listUsers: () => users.list(),
    getUser: (userId) => users.get(userId),
    createUser: (input) => users.create(input),
    async updateUser(input, by) {
      const user = await users.update(input, by);
      if (input.password !== undefined) links.forget(input.user_id);
      takenBack();
      return user;
    },
    deleteUser(userId) {
      users.remove(userId);
      links.forget(userId);
      takenBack();
    },
    startDevice: (input, approveUrl, source) => devices.start(input, approveUrl, source),
    pollDevice(deviceCode) {
      // A session that was ended on a full disk takes its device codes with it.
      settle();
      return devices.poll(deviceCode);
    },
    approveDevice: (userId, input) => devices.approve(userId, input),
    onTakenBack(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onGained(listener) {
      tell = listener;
    },
    record: (entry) => audit.record(entry),
    recordSoon: (entry) => audit.recordSoon(entry),
    listAudit: (userId, limit, before, filter) => audit.list(userId, limit, before, filter),
    listAuditOf: (userId, wanted, limit) => audit.listOf(userId, wanted, limit),
    prune() {
      store.pruneExpired(now());
      audit.prune(now());
    },
    settle,
    close: () => audit.flush(),
  };
}
