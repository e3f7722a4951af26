import { sessionCookieName } from '../../isomorphic/host-header.ts';

const attributes = (secure: boolean): string => `; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/** Where a page is that is given a cookie. */
interface PagePlace {
  /** The header Host of its request. */
  readonly host: string | undefined;
  /** It is reached by https only. */
  readonly secure: boolean;
}

/** Set-Cookie for a session of `seconds` more. */
export function sessionCookie(token: string, seconds: number, { host, secure }: PagePlace): string {
  return `${sessionCookieName(host)}=${token}; Max-Age=${seconds}${attributes(secure)}`;
}

/** Set-Cookie that removes the session. */
export function clearedCookie(place: PagePlace): string {
  return sessionCookie('', 0, place);
}
