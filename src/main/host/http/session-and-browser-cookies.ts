import { browserCookieName, sessionCookieName } from '../../../shared/cookie-names.ts';

const attributes = (secure: boolean): string => `; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/** Address of a page that is given a cookie. */
interface PagePlace {
  /** The Host header of its request. */
  readonly host: string | undefined;
  /** True if the page is reached only by https. */
  readonly secure: boolean;
}

/** Set-Cookie for a session that lasts `seconds` more. */
export function sessionCookie(token: string, seconds: number, { host, secure }: PagePlace): string {
  return `${sessionCookieName(host)}=${token}; Max-Age=${seconds}${attributes(secure)}`;
}

/** Time for which the host recognises a browser after a log-in, in seconds. */
const BROWSER_SECONDS = 365 * 86_400;

/** Set-Cookie by which the host recognises a browser. */
export function browserCookie(token: string, { host, secure }: PagePlace): string {
  return `${browserCookieName(host)}=${token}; Max-Age=${BROWSER_SECONDS}${attributes(secure)}`;
}

/** Set-Cookie that removes the session. */
export function clearedCookie(place: PagePlace): string {
  return sessionCookie('', 0, place);
}
