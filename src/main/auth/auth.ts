import type { z } from 'zod';
import type {
  ApiKey,
  AuditEntry,
  AuthStatus,
  DeviceCode,
  DevicePoll,
  LoginLink,
  NewApiKey,
  NewSession,
  Role,
  User,
} from '../../contract/account.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { AuditRecord, AuthStore } from '../store/auth-store.ts';
import { ApiKeys, type NewKey } from './api-keys.ts';
import { AuditTrail } from './audit-trail.ts';
import { DeviceCodes } from './device-codes.ts';
import { LoginLinks } from './login-links.ts';
import type { Principal } from './principal.ts';
import { hashSecret, secretMatches } from './secret.ts';
import { Sessions } from './sessions.ts';
import { Users } from './users.ts';

export type { AuditRecord } from '../store/auth-store.ts';
export type { Principal } from './principal.ts';

/** Somebody who was recognised, and for how long that need not be looked up again. */
export interface Recognised {
  readonly principal: Principal;
  /** Count of the times that anything was taken back. */
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

/** Users, keys, sessions and the audit trail (wire.md section 7). Errors are PlatformError with the named code. */
export interface Auth {
  /** AUTHENTICATION_REQUIRED without a credential, INVALID_API_KEY for any that does not hold. */
  authenticate(credential: string | null): Principal;
  /** As authenticate, with how long the answer holds for the same credential. */
  recognise(credential: string | null): Recognised;
  /** True while what was recognised before is surely still so: nothing was taken back since. */
  isFresh(known: Recognised): boolean;
  status(principal: Principal): AuthStatus;
  /** INVALID_CREDENTIALS, RATE_LIMITED. */
  login(input: { readonly name: string; readonly password: string }, address: string): Promise<NewSession>;
  /** A link at `origin` that logs a browser in once, as this user. */
  makeLink(userId: string, origin: string): LoginLink;
  /** INVALID_CREDENTIALS. */
  enter(ticket: string): NewSession;
  /** Ends all other sessions. INVALID_CREDENTIALS, INVALID_REQUEST, RATE_LIMITED. */
  changePassword(
    principal: Principal,
    input: { readonly old_password?: string | undefined; readonly new_password: string },
  ): Promise<void>;
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
  /** Called whenever a key or session has stopped being valid before its time. Returns the end of the subscription. */
  onTakenBack(listener: () => void): () => void;
  /** Writes an audit entry; it is on disk when this returns. */
  record(entry: AuditRecord): void;
  /** As record, for what changed nothing: written in batches within a quarter of a second. */
  recordSoon(entry: AuditRecord): void;
  /** Newest first. */
  listAudit(userId: string, limit: number, before?: number): AuditEntry[];
  /** Removes what has expired. */
  prune(): void;
  /** Writes what waits to be written. */
  close(): void;
}

const AUDIT_KEPT_MS = 180 * 86_400_000;
/** How long a credential is not looked up again; what is taken back meanwhile is forgotten at once. */
const RECENT_MS = 1000;
/** Entries of one user: an assistant that reads all day must not fill the control database. */
const AUDIT_KEPT = 200_000;
/** Entries without a user, such as failed log-ins, which anybody can make. */
const AUDIT_KEPT_OF_NOBODY = 20_000;

/** Auth over its store. `hostToken` is the secret of the discovery file: whoever can read that is the local owner. */
export function createAuth(d: {
  readonly store: AuthStore;
  readonly now: () => number;
  readonly hostToken: string;
  /** Told what went wrong in the background. */
  readonly onError: (where: string, error: unknown) => void;
}): Auth {
  const { store, now } = d;
  const users = new Users(store, now);
  const keys = new ApiKeys(store, now);
  const sessions = new Sessions(store, now);
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
    login: (input, address) => sessions.login(input, address),
    makeLink: (userId, origin) => links.make(userId, origin),
    enter: (ticket) => sessions.enter(links.use(ticket)),
    async changePassword({ userId, sessionId }, input) {
      await sessions.changePassword(userId, input, sessionId);
      links.forget(userId);
      takenBack();
    },
    logout({ sessionId }) {
      if (sessionId !== null) sessions.end(sessionId);
      takenBack();
    },
    listKeys: (userId) => keys.list(userId),
    getKey: (userId, keyId) => keys.get(userId, keyId),
    createKey: (userId, input) => keys.create(userId, input),
    revokeKey(userId, keyId) {
      keys.revoke(userId, keyId);
      takenBack();
    },
    listUsers: () => users.list(),
    getUser: (userId) => users.get(userId),
    createUser: (input) => users.create(input),
    async updateUser(input) {
      const user = await users.update(input);
      if (input.password !== undefined) links.forget(input.user_id);
      takenBack();
      return user;
    },
    deleteUser(userId) {
      users.remove(userId);
      links.forget(userId);
      takenBack();
    },
    startDevice: (input, approveUrl) => devices.start(input, approveUrl),
    pollDevice: (deviceCode) => devices.poll(deviceCode),
    approveDevice: (userId, userCode) => devices.approve(userId, userCode),
    onTakenBack(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    record: (entry) => audit.record(entry),
    recordSoon: (entry) => audit.recordSoon(entry),
    listAudit: (userId, limit, before) => audit.list(userId, limit, before),
    prune() {
      store.pruneExpired(now());
      store.pruneAudit({ before: now() - AUDIT_KEPT_MS, most: AUDIT_KEPT, mostOfNobody: AUDIT_KEPT_OF_NOBODY });
    },
    close: () => audit.flush(),
  };
}
