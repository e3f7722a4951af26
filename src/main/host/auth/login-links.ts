import { randomBytes } from 'node:crypto';
import type { LoginLink } from '../../../contract/account.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { hashSecret } from './token.ts';

const LIFETIME_MS = 10 * 60_000;
/** Most unused links of one user; they displace only that user's own. */
const MOST_PENDING = 20;

/**
 * Links that log a browser in once, made by a caller who is logged in: `platform open` on the host's machine. They live
 * in memory only and end with the host.
 */
export class LoginLinks {
  readonly #now: () => number;
  readonly #tickets = new Map<string, { readonly userId: string; readonly expiresAt: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The ticket follows the `#`, which browsers never send. Older links of the user are dropped when too many wait. */
  make(userId: string, origin: string): LoginLink {
    const now = this.#now();
    for (const [hash, { expiresAt }] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(hash);
    const pending = [...this.#tickets].filter(([, one]) => one.userId === userId);
    for (const [hash] of pending.slice(0, Math.max(0, pending.length - MOST_PENDING + 1))) this.#tickets.delete(hash);
    const ticket = randomBytes(32).toString('base64url');
    const expiresAt = now + LIFETIME_MS;
    this.#tickets.set(hashSecret(ticket).toString('hex'), { userId, expiresAt });
    return { url: `${origin}/#enter=${ticket}`, expires_at: toTimestamp(expiresAt) };
  }

  /** Revokes the unused links of a user who was removed or changed the password. */
  forget(userId: string): void {
    for (const [hash, one] of this.#tickets) if (one.userId === userId) this.#tickets.delete(hash);
  }

  /** The user of a ticket, once. Throws INVALID_CREDENTIALS for a wrong, used or expired one. */
  use(ticket: string): string {
    const hash = hashSecret(ticket).toString('hex');
    const known = this.#tickets.get(hash);
    this.#tickets.delete(hash);
    if (known !== undefined && this.#now() < known.expiresAt) return known.userId;
    throw new PlatformError('INVALID_CREDENTIALS', 'This log-in link was used already, or is older than 10 minutes', {
      hint: 'Make a new one on the machine of the host: platform open',
    });
  }
}
