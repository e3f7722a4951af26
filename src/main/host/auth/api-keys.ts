import type { ApiKey, KeyScope, NewApiKey } from '../../../contract/account.ts';
import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { AuthStore, KeyRow } from '../control/auth-store.ts';
import type { LastUsed } from './last-used.ts';
import type { Gained, Principal } from './principal.ts';
import { newToken, parseToken, secretMatches } from './token.ts';

const DAY_MS = 86_400_000;

/** Request for a new key. */
export interface NewKey {
  readonly name: string;
  readonly scope?: KeyScope | undefined;
  /** The only bots it reaches; all of the user's if left out. */
  readonly bots?: readonly string[] | undefined;
  readonly extended?: boolean | undefined;
  readonly expires_in_days?: number | undefined;
}

function toApiKey(row: KeyRow, lastUsedAt = row.last_used_at): ApiKey {
  return {
    key_id: row.key_id,
    name: row.name,
    scope: row.scope,
    bots: row.bots === null ? null : JSON.parse(row.bots),
    extended: row.extended === 1,
    created_at: toTimestamp(row.created_at),
    last_used_at: toTimestampOrNull(lastUsedAt),
    expires_at: toTimestampOrNull(row.expires_at),
    revoked_at: toTimestampOrNull(row.revoked_at),
  };
}

/** API keys: `plat_` + public id + secret; only the hash of the secret is stored. */
export class ApiKeys {
  readonly #store: AuthStore;
  readonly #now: () => number;
  readonly #used: LastUsed;
  readonly #gained: (gained: Gained) => void;

  constructor(deps: {
    readonly store: AuthStore;
    readonly now: () => number;
    readonly used: LastUsed;
    /** Called in the transaction of each new key. */
    readonly gained: (gained: Gained) => void;
  }) {
    this.#store = deps.store;
    this.#now = deps.now;
    this.#used = deps.used;
    this.#gained = deps.gained;
  }

  /** The principal of a key; null for a wrong, revoked or expired one. */
  authenticate(text: string): Principal | null {
    const parts = parseToken('plat', text);
    if (parts === null) return null;
    const row = this.#store.keyById(parts.id);
    if (!secretMatches(parts.secret, row?.secret_hash ?? null) || row === null) return null;
    const now = this.#now();
    if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now)) return null;
    const user = this.#store.userById(row.user_id);
    if (user === null) return null;
    this.#used.note(row.key_id, row.last_used_at, now);
    return {
      userId: user.user_id,
      name: user.name,
      role: user.role,
      scope: row.scope,
      botIds: row.bots === null ? null : new Set<string>(JSON.parse(row.bots)),
      extended: row.extended === 1,
      method: 'api_key',
      keyId: row.key_id,
      keyName: row.name,
      sessionId: null,
      expiresAt: row.expires_at,
    };
  }

  list(userId: string): ApiKey[] {
    return this.#store.keysOf(userId).map((row) => this.#shown(row));
  }

  /** Throws KEY_NOT_FOUND, also for another user's key. */
  get(userId: string, keyId: string): ApiKey {
    return this.#shown(this.#own(userId, keyId));
  }

  /** Makes a key, for a person (`key`) or for a program whose code one has approved (`code`). */
  create(userId: string, input: NewKey, by: 'key' | 'code' = 'key'): NewApiKey {
    const { id, token, hash } = newToken('plat');
    const now = this.#now();
    const row = {
      key_id: id,
      user_id: userId,
      name: input.name,
      secret_hash: hash,
      scope: input.scope ?? 'full',
      bots: input.bots === undefined ? null : JSON.stringify([...new Set(input.bots)]),
      extended: input.extended === true ? 1 : 0,
      created_at: now,
      expires_at: input.expires_in_days === undefined ? null : now + input.expires_in_days * DAY_MS,
    };
    this.#store.transaction(() => {
      this.#store.addKey(row);
      this.#gained({ userId, id, by });
    });
    return { ...toApiKey({ ...row, last_used_at: null, revoked_at: null }), key: token };
  }

  /** Throws KEY_NOT_FOUND. Revoking twice changes nothing. */
  revoke(userId: string, keyId: string): void {
    const row = this.#own(userId, keyId);
    if (row.revoked_at === null) this.#store.revokeKey(keyId, this.#now());
  }

  #shown(row: KeyRow): ApiKey {
    return toApiKey(row, this.#used.at(row.key_id, row.last_used_at));
  }

  #own(userId: string, keyId: string): KeyRow {
    const row = this.#store.keyById(keyId);
    if (row === null || row.user_id !== userId) throw new PlatformError('KEY_NOT_FOUND');
    return row;
  }
}
