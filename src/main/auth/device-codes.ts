import { randomBytes, randomInt } from 'node:crypto';
import type { z } from 'zod';
import type { DeviceCode, DevicePoll } from '../../contract/account.ts';
import { toTimestamp } from '../../contract/common.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { AuthStore } from '../store/auth-store.ts';
import type { ApiKeys } from './api-keys.ts';
import { Attempts } from './attempts.ts';
import { hashSecret } from './secret.ts';

const LIFETIME_MS = 10 * 60_000;
const POLL_SECONDS = 2;
const MOST_PENDING = 100;
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

  /** Throws RATE_LIMITED while too many codes wait for approval. */
  start({ client }: { readonly client: string }, approveUrl: string): z.infer<typeof DeviceCode> {
    const now = this.#now();
    this.#store.pruneExpired(now);
    if (this.#store.devices() >= MOST_PENDING) {
      throw new PlatformError('RATE_LIMITED', 'Too many log-ins wait for approval', {
        hint: 'Approve or leave those that wait; each ends after 10 minutes.',
        retryAfter: 60,
      });
    }
    const secret = randomBytes(32).toString('base64url');
    let code = newCode();
    while (this.#store.deviceByCode(code) !== null) code = newCode();
    const expires = now + LIFETIME_MS;
    this.#store.addDevice({ device_hash: hashSecret(secret), user_code: code, client, expires_at: expires });
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
      return { status: 'approved', key: this.#keys.create(row.user_id, { name: row.client }).key };
    });
  }

  /** Approving twice changes nothing. Throws INVALID_CREDENTIALS, or RATE_LIMITED for somebody who guesses. */
  approve(userId: string, userCode: string): void {
    this.#attempts.check(userId);
    const code = normal(userCode);
    const row = this.#store.deviceByCode(code);
    if (row === null || row.expires_at <= this.#now() || (row.user_id ?? userId) !== userId) {
      this.#attempts.failed(userId);
      throw unknownCode();
    }
    // A success clears no failures: codes of one's own would make guessing those of others free.
    this.#store.approveDevice(code, userId, this.#now());
  }
}
