import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { PlatformError } from '../../contract/errors.ts';

/** On every answer: nothing is cached, sniffed, framed or told to other sites. */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Sends a JSON body. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJsonText(response, status, JSON.stringify(value) ?? 'null', headers);
}

/** Sends a body that is JSON in UTF-8 already. */
export function sendJsonText(
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, {
    ...SAFE_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Any thrown value as the one error type; what the host did not expect becomes INTERNAL without its text. */
export function toPlatformError(error: unknown): PlatformError {
  return error instanceof PlatformError ? error : new PlatformError('INTERNAL', undefined, { cause: error });
}

/** Sends an error with a body in whatever form its reader expects. */
export function sendRefusal(
  response: ServerResponse,
  error: PlatformError,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(response, error.status, body, {
    'x-request-id': requestId,
    // Not "Bearer": that word makes AI clients drop their key and look for OAuth (wire.md section 7).
    ...(error.status === 401 ? { 'www-authenticate': 'ApiKey' } : {}),
    ...(error.retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(error.retryAfter)) }),
    ...headers,
  });
}

/** Sends `{"error": …}` (wire.md section 6). */
export function sendError(
  response: ServerResponse,
  error: PlatformError,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendRefusal(response, error, { error: error.toBody(requestId) }, requestId, headers);
}

/** Time that a peer has to take such an answer. */
const LINGER_MS = 1000;

/** As sendError, for a socket that has no response object: an upgrade that is refused, a request that cannot be read. */
export function endWithError(socket: Duplex, error: PlatformError, requestId: string, status = error.status): void {
  const body = JSON.stringify({ error: error.toBody(requestId) });
  const headers = {
    ...SAFE_HEADERS,
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    ...(error.status === 401 ? { 'www-authenticate': 'ApiKey' } : {}),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // A peer that does not close would keep the connection for good: no server looks after this socket any more.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.join('')}\r\n${body}`);
}
