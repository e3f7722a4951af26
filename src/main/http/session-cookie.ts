import { SESSION_COOKIE } from '../../contract/account.ts';

const attributes = (secure: boolean): string => `; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/** Set-Cookie for a session that ends at `expiresAt` (milliseconds since the epoch). */
export function sessionCookie(token: string, expiresAt: number, now: number, secure: boolean): string {
  return `${SESSION_COOKIE}=${token}; Max-Age=${Math.floor((expiresAt - now) / 1000)}${attributes(secure)}`;
}

/** Set-Cookie that removes the session. */
export function clearedCookie(secure: boolean): string {
  return `${SESSION_COOKIE}=; Max-Age=0${attributes(secure)}`;
}
