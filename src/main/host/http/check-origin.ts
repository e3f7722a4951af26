import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { PlatformError } from '../../../contract/errors.ts';
import { parseHost } from '../../../shared/host-header.ts';
import { isLoopback } from './listen.ts';

export interface GuardOptions {
  /** Address the server listens on. */
  readonly address: string;
  readonly secure: boolean;
}

function forbidden(message: string, hint: string): PlatformError {
  return new PlatformError('FORBIDDEN', message, { hint });
}

/**
 * True for a name under which this server may be addressed. A page of a foreign site whose name was re-pointed to this
 * machine (DNS rebinding) still sends its own name, so names are refused where addresses are not.
 */
function isOwnName(name: string, address: string): boolean {
  if (isLoopback(name)) return true;
  if (isLoopback(address)) return false;
  return isIP(name) !== 0 || name === address.toLowerCase() || name === hostname().toLowerCase();
}

/** True if a server on this machine served the page. */
function isLocalPage(origin: string): boolean {
  const host = /^https?:\/\/(.+)$/i.exec(origin)?.[1];
  const parsed = host === undefined ? null : parseHost(host);
  return parsed !== null && isLoopback(parsed.name);
}

/** True for a request with two Host headers: a proxy in front may have used the other one. */
function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  let names = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? '';
    if (header.length === 4 && header.toLowerCase() === 'host') names += 1;
  }
  return names > 1;
}

/** The last accepted name: nearly every request has the same one. */
let lastGood: { readonly host: string; readonly address: string } | null = null;

/**
 * Checks Host and Origin of every request, upgrades included, before anything else is read. Throws FORBIDDEN. There is
 * no CORS: a browser page of another origin gets nothing. `this machine` also allows pages of other local servers (MCP
 * clients in a browser), for addresses that take no cookie.
 */
export function checkOrigin(
  request: IncomingMessage,
  { address, secure }: GuardOptions,
  pages: 'own' | 'this machine' = 'own',
): void {
  const { host, origin } = request.headers;
  if (namesTwoHosts(request.rawHeaders)) {
    throw new PlatformError('INVALID_REQUEST', 'The request names two hosts', { hint: 'Send one Host header.' });
  }
  if (origin === undefined && lastGood !== null && host === lastGood.host && address === lastGood.address) return;
  const parsed = host === undefined ? null : parseHost(host);
  if (parsed === null || !isOwnName(parsed.name, address)) {
    throw forbidden(
      `This host does not answer to the name ${JSON.stringify(host ?? '')}`,
      'Use the address that the host printed at its start, such as http://127.0.0.1:4747.',
    );
  }
  lastGood = { host: host ?? '', address };
  if (origin === undefined || (pages === 'this machine' && isLocalPage(origin))) return;
  if (origin.toLowerCase() !== `${secure ? 'https' : 'http'}://${host?.toLowerCase() ?? ''}`) {
    throw forbidden(
      'Requests from pages of other sites are refused',
      'Open the dashboard at the address of the host itself.',
    );
  }
}

/**
 * True when a cookie may count as a credential: the browser confirms that the host's own page sent the request. Other
 * programs send their key in a header.
 */
export function isSameOrigin(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  return site === 'same-origin' || (site === undefined && request.headers.origin !== undefined);
}
