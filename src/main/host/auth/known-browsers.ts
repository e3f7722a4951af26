import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuthStore } from '../control/auth-store.ts';

const ID_BYTES = 9;
const TOKEN = /^([\w-]{12})\.([\w-]{43})$/;

/**
 * Recognises browsers in which a user has logged in: their failures count apart, so that strangers' guesses from the
 * same address do not lock that user out. A token grants no access.
 */
export class KnownBrowsers {
  readonly #key: Buffer;

  constructor(store: Pick<AuthStore, 'browserSecret'>) {
    this.#key = Buffer.from(
      store.browserSecret(() => randomBytes(32).toString('hex')),
      'hex',
    );
  }

  /** The token that a browser keeps after this user's log-in. */
  tokenFor(userId: string): string {
    const id = randomBytes(ID_BYTES).toString('base64url');
    return `${id}.${this.#mac(id, userId).toString('base64url')}`;
  }

  /** A name for the browser that shows a token of this user; null for any other text. */
  idOf(token: string | null, userId: string): string | null {
    const [, id, mac] = TOKEN.exec(token ?? '') ?? [];
    if (id === undefined || mac === undefined) return null;
    const given = Buffer.from(mac, 'base64url');
    const right = this.#mac(id, userId);
    return given.length === right.length && timingSafeEqual(given, right) ? id : null;
  }

  #mac(id: string, userId: string): Buffer {
    return createHmac('sha256', this.#key).update(`${id} ${userId}`).digest();
  }
}
