import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { CallContext } from '../api/api-types.ts';
import type { Auth, Principal, Recognised } from '../auth/auth.ts';
import { credentialOf, isCookieCredential } from '../auth/request-credential.ts';
import { isSameOrigin } from './check-origin.ts';

const lastOf = new WeakMap<Socket, { readonly credential: string; readonly known: Recognised }>();

/**
 * Returns the sender of a request; null without a credential. A cookie counts only for the host's own pages. Throws
 * INVALID_API_KEY for a credential that is wrong, expired or revoked.
 */
export function identify(
  auth: Auth,
  request: IncomingMessage,
  cookies: 'own pages' | 'never' = 'own pages',
): Principal | null {
  const credential = credentialOf(request.headers);
  if (credential === null) return null;
  if (isCookieCredential(request.headers) && (cookies === 'never' || !isSameOrigin(request))) return null;
  // The same credential again on one connection: it is compared only with the one that this client itself sent before.
  const before = lastOf.get(request.socket);
  if (before !== undefined && before.credential === credential && auth.isFresh(before.known))
    return before.known.principal;
  const known = auth.recognise(credential);
  lastOf.set(request.socket, { credential, known });
  return known.principal;
}

/** The confirmation that a request carries, unchecked. */
export function confirmationOf({ headers }: IncomingMessage): CallContext['confirmation'] {
  const sent = headers['x-platform-confirmation'];
  return { token: typeof sent === 'string' ? sent : null };
}
