import type { NewSession, SessionInfo } from '../../../contract/account.ts';
import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import type { AuthStore, UserRow } from '../control/auth-store.ts';
import { Attempts } from './attempts.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { LastUsed } from './last-used.ts';
import type { LoginOrigin } from './login-origin.ts';
import { hashPassword, verifyNothing, verifyPassword } from './passwords.ts';
import type { Gained, Principal } from './principal.ts';
import { newToken, parseToken, secretMatches } from './token.ts';
import { toUser } from './users.ts';

const SESSION_MS = 30 * 86_400_000;
/** Passwords of one source that are being checked or wait: far fewer than may wait in all. */
const MOST_AT_ONCE = 16;

function wrongOld(has: boolean): PlatformError {
  const message = has ? 'The old password is wrong' : 'There is no old password';
  const hint = has ? 'Type it again, or ask the owner for a new one.' : 'Leave it empty; you have none yet.';
  return new PlatformError('INVALID_CREDENTIALS', message, { hint });
}

/** Log-in by name and password, and the sessions it makes. */
export class Sessions {
  readonly #store: AuthStore;
  readonly #now: () => number;
  readonly #attempts: Attempts;
  readonly #browsers: KnownBrowsers;
  readonly #used: LastUsed;
  readonly #gained: (gained: Gained) => void;
  /** Passwords of each source that are being checked. */
  readonly #running = new Map<string, number>();

  constructor(deps: {
    readonly store: AuthStore;
    readonly now: () => number;
    readonly browsers: KnownBrowsers;
    readonly used: LastUsed;
    /** Called in the transaction of each new session. */
    readonly gained: (gained: Gained) => void;
  }) {
    this.#store = deps.store;
    this.#now = deps.now;
    this.#browsers = deps.browsers;
    this.#used = deps.used;
    this.#gained = deps.gained;
    this.#attempts = new Attempts(deps.now);
  }

  /** Throws INVALID_CREDENTIALS, the same for an unknown name, or RATE_LIMITED after too many failures. */
  async login(input: { readonly name: string; readonly password: string }, origin: LoginOrigin): Promise<NewSession> {
    const stored = this.#store.userByName(input.name)?.password_hash ?? null;
    const right = await this.#oneOfFew(origin.source, () =>
      this.#attempts.run(this.#countedAs(input.name, origin), () =>
        stored === null ? verifyNothing(input.password) : verifyPassword(input.password, stored),
      ),
    );
    // Read again: the user may have been removed, or the password changed, while it was checked.
    const user = this.#store.userByName(input.name);
    if (!right || user === null || user.password_hash !== stored) throw new PlatformError('INVALID_CREDENTIALS');
    return this.#start(user, origin, 'password');
  }

  /** Failures count against the browser if this user has logged in with it before, else against the source. */
  #countedAs(name: string, { source, known }: LoginOrigin): string {
    const user = this.#store.userByName(name);
    const browser = user === null ? null : this.#browsers.idOf(known, user.user_id);
    return browser === null ? `${source} ${name}` : `known browser ${browser} ${name}`;
  }

  /** Runs the work unless this source has too much under way: it would take everybody's turns. */
  async #oneOfFew<T>(source: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(source) ?? 0;
    if (running >= MOST_AT_ONCE) {
      throw new PlatformError('RATE_LIMITED', 'Too many log-ins at once from here', {
        hint: 'Wait a few seconds and try again.',
        retryAfter: 5,
      });
    }
    this.#running.set(source, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(source) ?? 1) - 1;
      if (left === 0) this.#running.delete(source);
      else this.#running.set(source, left);
    }
  }

  /**
   * Sets a new password for a user who knows the old one, or has none yet, and ends all other sessions of the user.
   * Throws INVALID_CREDENTIALS, INVALID_REQUEST for the same password again, RATE_LIMITED after too many failures.
   */
  async changePassword(
    userId: string,
    input: { readonly old_password?: string | undefined; readonly new_password: string },
    keptSession: string | null,
  ): Promise<void> {
    const given = input.old_password;
    const stored = this.#store.userById(userId)?.password_hash ?? null;
    // Failures count by user, not by address: the caller is logged in and guesses the old password.
    const right = await this.#attempts.run(`password of ${userId}`, async () =>
      stored === null ? given === undefined : given !== undefined && verifyPassword(given, stored),
    );
    if (!right) throw wrongOld(stored !== null);
    if (given === input.new_password)
      throw invalid('INVALID_REQUEST', [
        { path: 'new_password', message: 'is the old password', hint: 'Choose another.' },
      ]);
    const hash = await hashPassword(input.new_password);
    this.#store.transaction(() => {
      const user = this.#store.userById(userId);
      // Another request may have changed it during the check.
      if (user === null || user.password_hash !== stored) throw wrongOld(true);
      this.#store.updateUser(userId, hash, user.role);
      this.#store.removeSessionsOf(userId, keptSession);
      this.#store.removeDevicesOf(userId);
    });
  }

  /** A session for a user identified by other means. Throws INVALID_CREDENTIALS for a removed user. */
  enter(userId: string, origin: LoginOrigin): NewSession {
    const user = this.#store.userById(userId);
    if (user === null) throw new PlatformError('INVALID_CREDENTIALS');
    return this.#start(user, origin, 'link');
  }

  #start(user: UserRow, { source, client }: LoginOrigin, by: Gained['by']): NewSession {
    const now = this.#now();
    const { id, token, hash } = newToken('sess');
    const expires = now + SESSION_MS;
    const row = { session_id: id, user_id: user.user_id, secret_hash: hash, created_at: now, expires_at: expires };
    this.#store.transaction(() => {
      this.#store.addSession({ ...row, source, client });
      this.#gained({ userId: user.user_id, id, by });
    });
    return { token, expires_at: toTimestamp(expires), user: toUser(user) };
  }

  /** The principal of a session token; null for a wrong or expired one. */
  authenticate(text: string): Principal | null {
    const parts = parseToken('sess', text);
    if (parts === null) return null;
    const row = this.#store.sessionById(parts.id);
    if (!secretMatches(parts.secret, row?.secret_hash ?? null) || row === null) return null;
    const now = this.#now();
    if (row.expires_at <= now) return null;
    const user = this.#store.userById(row.user_id);
    if (user === null) return null;
    this.#used.note(row.session_id, row.last_used_at ?? row.created_at, now);
    return {
      userId: user.user_id,
      name: user.name,
      role: user.role,
      scope: 'full',
      botIds: null,
      extended: true,
      method: 'session',
      keyId: null,
      keyName: null,
      sessionId: row.session_id,
      expiresAt: row.expires_at,
    };
  }

  end(sessionId: string): void {
    this.#store.removeSession(sessionId, this.#now());
  }

  /** Valid sessions of a user, newest first; `current` is the id of the calling one. */
  list(userId: string, current: string | null): SessionInfo[] {
    return this.#store.sessionsOf(userId, this.#now()).map((row) => ({
      session_id: row.session_id,
      user_id: row.user_id,
      created_at: toTimestamp(row.created_at),
      last_used_at: toTimestampOrNull(this.#used.at(row.session_id, row.last_used_at)),
      expires_at: toTimestamp(row.expires_at),
      source: row.source,
      client: row.client,
      current: row.session_id === current,
    }));
  }

  /**
   * Ends a session of this user, or of any user where `userId` is null, together with approved device codes that no
   * program has collected. `forget` ends what else the user has open. Throws SESSION_NOT_FOUND, also for another
   * user's session, and STORAGE_FULL if it has ended and no disk records that.
   */
  endOf(userId: string | null, sessionId: string, forget: (userId: string) => void): void {
    const row = this.#store.sessionById(sessionId);
    if (row === null || row.expires_at <= this.#now() || (userId !== null && row.user_id !== userId)) {
      throw new PlatformError('SESSION_NOT_FOUND');
    }
    forget(row.user_id);
    this.#store.removeSessionAndDevices(sessionId, this.#now());
  }
}
