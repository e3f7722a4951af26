import { randomBytes, randomInt } from 'node:crypto';
import type { z } from 'zod';
import type { DeviceApproval, DeviceCode, DeviceGrant, DevicePoll } from '../../../contract/account.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { DEVICE_DAYS, DEVICE_SCOPE } from '../../../contract/key-choices.ts';
import type { AuthStore } from '../control/auth-store.ts';
import type { ApiKeys } from './api-keys.ts';
import { Attempts } from './attempts.ts';
import { hashSecret } from './token.ts';

const LIFETIME_MS = 10 * 60_000;
const POLL_SECONDS = 2;
/** Limits of waiting codes, per source and in all: the oldest of the source with the most makes room. */
const MOST_OF_SOURCE = 20;
const MOST_WAITING = 200;
const CODE_CHARS = 8;
/** Consonants only: no word comes out by chance, and nothing looks like a digit. */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

const unknownCode = (): PlatformError =>
  new PlatformError('INVALID_CREDENTIALS', 'This log-in code is wrong or has expired', {
    hint: 'Start again with `platform auth login`.',
  });

/** A person types the code as they like: any case, with or without the dash. */
const normal = (code: string): string => code.toUpperCase().replaceAll(/[\s-]/g, '');

function newCode(): string {
  return Array.from({ length: CODE_CHARS }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('');
}

/** Log-in of a program on another machine: it shows a code, its person approves it where they are logged in. */
export class DeviceCodes {
  readonly #store: AuthStore;
  readonly #keys: ApiKeys;
  readonly #now: () => number;
  readonly #attempts: Attempts;

  constructor(store: AuthStore, keys: ApiKeys, now: () => number) {
    this.#store = store;
    this.#keys = keys;
    this.#now = now;
    this.#attempts = new Attempts(now);
  }

  /** Never refuses: endless new codes displace only waiting ones of the same source, never approved ones. */
  start({ client }: { readonly client: string }, approveUrl: string, source: string): z.infer<typeof DeviceCode> {
    const now = this.#now();
    const secret = randomBytes(32).toString('base64url');
    const expires = now + LIFETIME_MS;
    const code = this.#store.transaction(() => {
      this.#store.pruneExpired(now);
      this.#makeRoom(source);
      let free = newCode();
      while (this.#store.deviceByCode(free) !== null) free = newCode();
      this.#store.addDevice({ device_hash: hashSecret(secret), user_code: free, client, expires_at: expires, source });
      return free;
    });
    return {
      device_code: secret,
      user_code: `${code.slice(0, 4)}-${code.slice(4)}`,
      expires_at: toTimestamp(expires),
      interval_sec: POLL_SECONDS,
      approve_url: `${approveUrl}?code=${code.slice(0, 4)}-${code.slice(4)}`,
    };
  }

  /** The key, once, after approval. Throws INVALID_CREDENTIALS for a code that is wrong, expired or used. */
  poll(deviceCode: string): z.infer<typeof DevicePoll> {
    return this.#store.transaction(() => {
      const hash = hashSecret(deviceCode);
      const row = this.#store.deviceByHash(hash);
      if (row === null || row.expires_at <= this.#now()) throw unknownCode();
      if (row.user_id === null) return { status: 'pending', key: null };
      this.#store.removeDevice(hash);
      const grant = { scope: row.scope ?? DEVICE_SCOPE, expires_in_days: row.expires_in_days ?? undefined };
      return { status: 'approved', key: this.#keys.create(row.user_id, { name: row.client, ...grant }, 'code').key };
    });
  }

  #makeRoom(source: string): void {
    const waiting = this.#store.devicesWaiting();
    const [most] = waiting;
    const own = waiting.find((one) => one.source === source)?.n ?? 0;
    if (own >= MOST_OF_SOURCE) this.#store.dropOldestDevice(source);
    else if (most !== undefined && waiting.reduce((sum, { n }) => sum + n, 0) >= MOST_WAITING) {
      this.#store.dropOldestDevice(most.source);
    }
  }

  /**
   * Approves the program that shows the code. Repeating it changes nothing. Throws INVALID_CREDENTIALS, or RATE_LIMITED
   * against guessing.
   */
  approve(userId: string, { user_code, scope, expires_in_days }: DeviceApproval): z.infer<typeof DeviceGrant> {
    this.#attempts.check(userId);
    const code = normal(user_code);
    const row = this.#store.deviceByCode(code);
    if (row === null || row.expires_at <= this.#now() || (row.user_id ?? userId) !== userId) {
      this.#attempts.failed(userId);
      throw unknownCode();
    }
    // A success clears no failures: approving one's own codes would make guessing others' free.
    const given = {
      scope: row.scope ?? scope ?? DEVICE_SCOPE,
      expires_in_days:
        row.user_id !== null ? row.expires_in_days : expires_in_days === undefined ? DEVICE_DAYS : expires_in_days,
    };
    const at = this.#now();
    if (row.user_id === null)
      this.#store.approveDevice(code, { userId, at, scope: given.scope, days: given.expires_in_days });
    return { ok: true, client: row.client, source: row.source, ...given };
  }
}
