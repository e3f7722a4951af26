import type { IncomingHttpHeaders } from 'node:http';
import { browserCookieName, sessionCookieName } from '../../../shared/cookie-names.ts';

function fromCookie({ cookie }: IncomingHttpHeaders, name: string): string | null {
  const start = `${name}=`;
  const values = (cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start) && pair.length > start.length)
    .map((pair) => pair.slice(start.length));
  // Two session cookies make no credential: the host cannot tell which one its own page set.
  return values.length === 0 ? null : values.join('; ');
}

function fromHeaders(headers: IncomingHttpHeaders): string | null {
  const key = headers['x-api-key'];
  const first = Array.isArray(key) ? key.join(',') : key;
  if (first !== undefined && first.trim() !== '') return first.trim();
  const { authorization } = headers;
  if (authorization === undefined || authorization.trim() === '') return null;
  const [, token] = /^(?:bearer|apikey)\s+(\S+)$/i.exec(authorization.trim()) ?? [];
  // Something was sent and is not understood: it fails as a wrong key, never as no key; so does a key without a scheme.
  return token ?? `Authorization: ${authorization}`;
}

/**
 * The key or session token of a request, in this order: `x-api-key`, `Authorization: Bearer|ApiKey`, the session
 * cookie; null without any. A malformed header comes back as invalid text, so that it fails like a wrong key.
 */
export function credentialOf(headers: IncomingHttpHeaders): string | null {
  return fromHeaders(headers) ?? fromCookie(headers, sessionCookieName(headers.host));
}

/** The session token that an earlier version has left in a browser, whose cookie was the same for all ports; else null. */
export function oldCookieOf(headers: IncomingHttpHeaders): string | null {
  const name = sessionCookieName(undefined);
  return name === sessionCookieName(headers.host) ? null : fromCookie(headers, name);
}

/** The token by which a browser that a user has logged in with is recognised; null without. */
export function knownBrowserOf(headers: IncomingHttpHeaders): string | null {
  return fromCookie(headers, browserCookieName(headers.host));
}

/** True when only the cookie says who asks: then the request must come from the host's own pages. */
export function isCookieCredential(headers: IncomingHttpHeaders): boolean {
  return fromHeaders(headers) === null && fromCookie(headers, sessionCookieName(headers.host)) !== null;
}
