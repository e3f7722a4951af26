import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { PlatformError } from '../../../contract/errors.ts';

/** On every answer: no caching, sniffing, framing or referrer. */
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

function writeHead(
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
}

/** Sends a body that is JSON in UTF-8 already. */
export function sendJsonText(
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  writeHead(response, status, text, headers);
  response.end(text);
}

/** Sends a text whose media type is among the headers. */
export function sendText(
  response: ServerResponse,
  text: string,
  headers: Readonly<Record<'content-type', string>>,
): void {
  writeHead(response, 200, text, headers);
  response.end(text);
}

/** Any thrown value as PlatformError; an unexpected one becomes INTERNAL without its text. */
export function toPlatformError(error: unknown): PlatformError {
  return error instanceof PlatformError ? error : new PlatformError('INTERNAL', undefined, { cause: error });
}

/** Limits on receiving the rest of a refused request. */
const DRAIN_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 3000;

/** Receives the rest of a request within bounds: closing earlier would destroy the answer on its way. */
async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  const done = Promise.withResolvers<void>();
  const timer = setTimeout(done.resolve, DRAIN_MS);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DRAIN_BYTES) done.resolve();
  });
  request.once('end', done.resolve);
  request.once('close', done.resolve);
  request.resume();
  await done.promise;
  clearTimeout(timer);
}

/**
 * Sends an error with a body in the form that its reader expects. A client that is still sending gets the answer at
 * once, then its connection closes: at the end of an oversized body the answer would be lost.
 */
export async function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  error: PlatformError,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const text = JSON.stringify(body);
  writeHead(response, error.status, text, {
    'x-request-id': requestId,
    // Not "Bearer": that word makes AI clients drop their key and look for OAuth.
    ...(error.status === 401 ? { 'www-authenticate': 'ApiKey' } : {}),
    ...(error.retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(error.retryAfter)) }),
    ...(request.complete ? {} : { connection: 'close' }),
    ...headers,
  });
  if (request.complete) {
    response.end(text);
    return;
  }
  response.write(text);
  await drain(request);
  response.end();
}

/** Sends `{"error": …}`. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: PlatformError,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  return sendRefusal(request, response, error, { error: error.toBody(requestId) }, requestId, headers);
}

/** Time for a peer to take such an answer. */
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
  // No server watches this socket any more: a peer that never closes would keep it open for good.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.join('')}\r\n${body}`);
}
