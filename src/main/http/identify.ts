import type { IncomingMessage } from 'node:http';
import type { Auth, Principal } from '../auth/auth.ts';
import { credentialOf, isCookieCredential } from '../auth/credential.ts';
import { isSameOrigin } from './guards.ts';

/**
 * Who a request comes from; null without a credential. A cookie counts only for the host's own pages. Throws
 * INVALID_API_KEY for a credential that is wrong, expired or revoked.
 */
export function identify(auth: Auth, request: IncomingMessage): Principal | null {
  const credential = credentialOf(request.headers);
  if (credential === null) return null;
  if (isCookieCredential(request.headers) && !isSameOrigin(request)) return null;
  return auth.authenticate(credential);
}
