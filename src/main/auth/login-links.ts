import { randomBytes } from 'node:crypto';
import type { LoginLink } from '../../contract/account.ts';
import { toTimestamp } from '../../contract/common.ts';
import { PlatformError } from '../../contract/errors.ts';
import { hashSecret } from './secret.ts';

const LIFETIME_MS = 10 * 60_000;
/** Links of one user that wait; nobody's links push out those of others. */
const MOST_PENDING = 20;

/**
 * Links that log a browser in once, made by somebody who is logged in already: `platform open` on the machine of the host
 * (wire.md section 7). They live in memory only: a host that ends takes them along.
 */
export class LoginLinks {
  readonly #now: () => number;
  readonly #tickets = new Map<string, { readonly userId: string; readonly expiresAt: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The ticket stands behind the `#`, which a browser sends to nobody. Older links of the user go when too many wait. */
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

  /** Takes back what waits of a user, whose password is another now or who is gone. */
  forget(userId: string): void {
    for (const [hash, one] of this.#tickets) if (one.userId === userId) this.#tickets.delete(hash);
  }

  /** The user of a ticket, once. Throws INVALID_CREDENTIALS for one that is wrong, used or too old. */
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
