import { browserCookieName, sessionCookieName } from '../../../shared/host-header.ts';

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

/** How long a browser is known again after a log-in, in seconds. */
const BROWSER_SECONDS = 365 * 86_400;

/** Set-Cookie by which a browser is known again. */
export function browserCookie(token: string, { host, secure }: PagePlace): string {
  return `${browserCookieName(host)}=${token}; Max-Age=${BROWSER_SECONDS}${attributes(secure)}`;
}

/** Set-Cookie that removes the session. */
export function clearedCookie(place: PagePlace): string {
  return sessionCookie('', 0, place);
}
