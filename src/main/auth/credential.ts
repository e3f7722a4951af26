import type { IncomingHttpHeaders } from 'node:http';

const COOKIE = 'platform_session';

function fromCookie(header: string | undefined): string | null {
  for (const pair of (header ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === COOKIE && value !== undefined && value !== '') return value;
  }
  return null;
}

function fromHeaders(headers: IncomingHttpHeaders): string | null {
  const key = headers['x-api-key'];
  const first = Array.isArray(key) ? key.join(',') : key;
  if (first !== undefined && first.trim() !== '') return first.trim();
  const { authorization } = headers;
  if (authorization === undefined || authorization.trim() === '') return null;
  const [, token] = /^(?:bearer|apikey)\s+(\S+)$/i.exec(authorization.trim()) ?? [];
  // Something was sent and is not understood: it fails as a wrong key, never as no key.
  return token ?? authorization;
}

/** The key or session token of a request: `x-api-key`, `Authorization: Bearer|ApiKey`, or the session cookie. */
export function credentialOf(headers: IncomingHttpHeaders): string | null {
  return fromHeaders(headers) ?? fromCookie(headers.cookie);
}

/** True when only the cookie says who asks: then the request must come from the host's own pages. */
export function isCookieCredential(headers: IncomingHttpHeaders): boolean {
  return fromHeaders(headers) === null && fromCookie(headers.cookie) !== null;
}
