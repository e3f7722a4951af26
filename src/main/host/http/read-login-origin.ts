import type { IncomingMessage } from 'node:http';
import type { LoginOrigin } from '../auth/auth.ts';
import { knownBrowserOf } from '../auth/request-credential.ts';
import { sourceOf } from './peer-account-or-network.ts';

const CLIENT_CHARS = 200;

/** Returns the User-Agent of a request, cut to a limit; null without one. */
export function clientOf({ headers }: IncomingMessage): string | null {
  return headers['user-agent']?.slice(0, CLIENT_CHARS) ?? null;
}

/** Returns the origin of a request: its source, its program, and the token of a known browser. */
export function originOf(request: IncomingMessage): LoginOrigin {
  return { source: sourceOf(request.socket), client: clientOf(request), known: knownBrowserOf(request.headers) };
}
