import { randomBytes } from 'node:crypto';
import type { Role, User } from '../../../contract/account.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { newId } from '../../../shared/sortable-ids.ts';
import type { AuthStore, UserRow } from '../control/auth-store.ts';
import { hashPassword } from './passwords.ts';

/** A user in its wire form. */
export function toUser(row: UserRow): User {
  return {
    user_id: row.user_id,
    name: row.name,
    role: row.role,
    created_at: toTimestamp(row.created_at),
    has_password: row.password_hash !== null,
  };
}

/** The users of a host. */
export class Users {
  readonly #store: AuthStore;
  readonly #now: () => number;

  constructor(store: AuthStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * The user of this machine: every process that can read the discovery file acts as this user. Created at the first
   * start without a password, and permanent, so that another owner never takes over its bots.
   */
  localOwner(): UserRow {
    const known = this.#store.localOwner();
    const row = known === null ? null : this.#store.userById(known);
    if (row !== null) return row;
    const owner = this.#store.users().find((one) => one.role === 'owner') ?? this.#add('owner', 'owner', null);
    this.#store.setLocalOwner(owner.user_id);
    return owner;
  }

  list(): User[] {
    return this.#store.users().map(toUser);
  }

  /** Throws USER_NOT_FOUND. */
  get(id: string): User {
    return toUser(this.#row(id));
  }

  /** Throws NAME_TAKEN. */
  async create(input: {
    readonly name: string;
    readonly password: string;
    readonly role?: Role | undefined;
  }): Promise<User> {
    this.#checkFree(input.name);
    const hash = await hashPassword(input.password);
    return this.#store.transaction(() => {
      // Another request may have taken the name while the password was hashed.
      this.#checkFree(input.name);
      return toUser(this.#add(input.name, input.role ?? 'user', hash));
    });
  }

  /**
   * A new password ends all sessions of the user except the caller's; if another user sets it, it also revokes the
   * user's keys. Throws USER_NOT_FOUND.
   */
  async update(
    input: { readonly user_id: string; readonly password?: string | undefined; readonly role?: Role | undefined },
    by: { readonly userId: string; readonly sessionId: string | null },
  ): Promise<User> {
    this.#row(input.user_id);
    const hash = input.password === undefined ? undefined : await hashPassword(input.password);
    return this.#store.transaction(() => {
      const row = this.#row(input.user_id);
      const role = input.role ?? row.role;
      if (role !== 'owner') this.#keepLocalOwner(row, 'stays an owner');
      this.#store.updateUser(row.user_id, hash ?? row.password_hash, role);
      if (hash !== undefined) {
        this.#store.removeSessionsOf(row.user_id, by.sessionId);
        this.#store.removeDevicesOf(row.user_id);
        if (row.user_id !== by.userId) this.#store.revokeKeysOf(row.user_id, this.#now());
      }
      return this.get(row.user_id);
    });
  }

  /**
   * Removes a user with their keys and sessions. Throws USER_NOT_FOUND, or BOT_RUNNING while the user still has bots.
   */
  remove(id: string): void {
    this.#store.transaction(() => {
      const row = this.#row(id);
      this.#keepLocalOwner(row, 'cannot be removed');
      if (this.#store.ownsAnything(id)) {
        throw new PlatformError('BOT_RUNNING', `${row.name} still has bots or custom bots`, {
          hint: 'Delete them first as that user, and empty their trash; `platform users password NAME` gives you a way in.',
        });
      }
      this.#store.removeUser(row, this.#now());
    });
  }

  #row(id: string): UserRow {
    const row = this.#store.userById(id);
    if (row === null) throw new PlatformError('USER_NOT_FOUND');
    return row;
  }

  #checkFree(name: string): void {
    if (this.#store.userByName(name) === null) return;
    throw new PlatformError('NAME_TAKEN', `There is a user ${name} already`, { hint: 'Choose another name.' });
  }

  #keepLocalOwner(row: UserRow, therefore: string): void {
    if (row.user_id !== this.localOwner().user_id) return;
    throw invalid('INVALID_REQUEST', [
      {
        path: '',
        message: `${row.name} is the local owner of this host, and ${therefore}`,
        hint: 'Others may be owners beside, not instead.',
      },
    ]);
  }

  #add(name: string, role: Role, passwordHash: string | null): UserRow {
    const now = this.#now();
    const row = {
      user_id: newId('user', now, randomBytes(10)),
      name,
      role,
      password_hash: passwordHash,
      created_at: now,
    };
    this.#store.addUser(row);
    return row;
  }
}
