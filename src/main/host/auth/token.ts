import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The parts of a token: a public id to find it by, and the secret that proves it. */
export interface TokenParts {
  readonly id: string;
  readonly secret: string;
}

export interface NewToken extends TokenParts {
  /** `<prefix>_<id>_<secret>`: shown once, never stored. */
  readonly token: string;
  readonly hash: Buffer;
}

const ID_CHARS = 12;
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Hash of a secret as it is stored. A secret of 256 random bits needs no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Random digits without a bias: 32 of them, five bits each. */
function randomDigits(count: number): string {
  return Array.from(randomBytes(count), (byte) => DIGITS[byte & 31] ?? '0').join('');
}

/** A new token of a kind (`plat`, `sess`), with 256 bits of secret. */
export function newToken(prefix: string): NewToken {
  const id = randomDigits(ID_CHARS);
  const secret = randomBytes(32).toString('base64url');
  return { id, secret, token: `${prefix}_${id}_${secret}`, hash: hashSecret(secret) };
}

/** Splits a token; null for text of any other form. */
export function parseToken(prefix: string, text: string): TokenParts | null {
  if (!text.startsWith(`${prefix}_`)) return null;
  const rest = text.slice(prefix.length + 1);
  const id = rest.slice(0, ID_CHARS);
  const secret = rest.slice(ID_CHARS + 1);
  return rest[ID_CHARS] === '_' && SECRET.test(secret) ? { id, secret } : null;
}

const NOTHING = hashSecret('');

/** Compares in constant time; without a stored hash it does the same work and returns false. */
export function secretMatches(secret: string, stored: Buffer | null): boolean {
  const given = hashSecret(secret);
  const equal = timingSafeEqual(given, stored ?? NOTHING);
  return equal && stored !== null;
}
