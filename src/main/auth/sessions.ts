import type { NewSession } from '../../contract/account.ts';
import { toTimestamp } from '../../contract/common.ts';
import { invalid, PlatformError } from '../../contract/errors.ts';
import type { AuthStore, UserRow } from '../store/auth-store.ts';
import { Attempts } from './attempts.ts';
import { hashPassword, verifyNothing, verifyPassword } from './passwords.ts';
import type { Principal } from './principal.ts';
import { newToken, parseToken, secretMatches } from './secret.ts';
import { toUser } from './users.ts';

const SESSION_MS = 30 * 86_400_000;

function wrongOld(has: boolean): PlatformError {
  const message = has ? 'The old password is wrong' : 'There is no old password';
  const hint = has ? 'Type it again, or ask the owner for a new one.' : 'Leave it empty; you have none yet.';
  return new PlatformError('INVALID_CREDENTIALS', message, { hint });
}

/** Log-in by name and password, and the sessions it makes (wire.md section 7). */
export class Sessions {
  readonly #store: AuthStore;
  readonly #now: () => number;
  readonly #attempts: Attempts;

  constructor(store: AuthStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#attempts = new Attempts(now);
  }

  /** Throws INVALID_CREDENTIALS, the same for an unknown name, or RATE_LIMITED after too many failures. */
  async login(input: { readonly name: string; readonly password: string }, address: string): Promise<NewSession> {
    const stored = this.#store.userByName(input.name)?.password_hash ?? null;
    const right = await this.#attempts.run(`${address} ${input.name}`, () =>
      stored === null ? verifyNothing(input.password) : verifyPassword(input.password, stored),
    );
    // Read again: the user may have been removed, or the password changed, while it was checked.
    const user = this.#store.userByName(input.name);
    if (!right || user === null || user.password_hash !== stored) throw new PlatformError('INVALID_CREDENTIALS');
    return this.#start(user);
  }

  /**
   * Another password for a user who knows the old one, or has none yet. All sessions of the user end but the one that
   * asks. Throws INVALID_CREDENTIALS, INVALID_REQUEST for the same password again, RATE_LIMITED after too many failures.
   */
  async changePassword(
    userId: string,
    input: { readonly old_password?: string | undefined; readonly new_password: string },
    keptSession: string | null,
  ): Promise<void> {
    const given = input.old_password;
    const stored = this.#store.userById(userId)?.password_hash ?? null;
    // Counted by user, not by address: whoever asks is logged in already, and guesses what they do not know.
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
      // Somebody else may have changed it while it was checked.
      if (user === null || user.password_hash !== stored) throw wrongOld(true);
      this.#store.updateUser(userId, hash, user.role);
      this.#store.removeSessionsOf(userId, keptSession);
    });
  }

  /** A session for a user who has shown otherwise who they are. Throws INVALID_CREDENTIALS when the user is gone. */
  enter(userId: string): NewSession {
    const user = this.#store.userById(userId);
    if (user === null) throw new PlatformError('INVALID_CREDENTIALS');
    return this.#start(user);
  }

  #start(user: UserRow): NewSession {
    const now = this.#now();
    const { id, token, hash } = newToken('sess');
    const expires = now + SESSION_MS;
    this.#store.addSession({
      session_id: id,
      user_id: user.user_id,
      secret_hash: hash,
      created_at: now,
      expires_at: expires,
    });
    return { token, expires_at: toTimestamp(expires), user: toUser(user) };
  }

  /** The principal of a session token; null for one that is wrong or over. */
  authenticate(text: string): Principal | null {
    const parts = parseToken('sess', text);
    if (parts === null) return null;
    const row = this.#store.sessionById(parts.id);
    if (!secretMatches(parts.secret, row?.secret_hash ?? null) || row === null) return null;
    if (row.expires_at <= this.#now()) return null;
    const user = this.#store.userById(row.user_id);
    if (user === null) return null;
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
    this.#store.removeSession(sessionId);
  }
}
