import type { IncomingMessage } from 'node:http';
import type { LoginOrigin } from '../auth/auth.ts';
import { knownBrowserOf } from '../auth/credential.ts';
import { sourceOf } from './source.ts';

const CLIENT_CHARS = 200;

/** What the program calls itself; null where it says nothing. */
export function clientOf({ headers }: IncomingMessage): string | null {
  return headers['user-agent']?.slice(0, CLIENT_CHARS) ?? null;
}

/** Where a request comes from. */
export function originOf(request: IncomingMessage): LoginOrigin {
  return { source: sourceOf(request.socket), client: clientOf(request), known: knownBrowserOf(request.headers) };
}
