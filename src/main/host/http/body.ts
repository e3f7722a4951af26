import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { isJsonObject, isNestedDeeper } from '../../../shared/json.ts';

function tooLarge(limit: number): PlatformError {
  return new PlatformError('TOO_LARGE', `The request body is larger than ${limit} bytes`, {
    hint: 'Send less in one request.',
    details: { limit_bytes: limit },
  });
}

function malformed(message: string): PlatformError {
  return invalid('INVALID_REQUEST', [{ path: '', message, hint: 'Send one JSON object in UTF-8.' }]);
}

/** Throws UNSUPPORTED_MEDIA_TYPE unless the body is declared as one of these; forms of foreign pages never are. */
export function checkContentType(request: IncomingMessage, allowed: readonly string[]): void {
  const given = request.headers['content-type'] ?? '';
  if (allowed.includes(given)) return;
  const type = given.split(';')[0]?.trim().toLowerCase() ?? '';
  if (allowed.includes(type)) return;
  throw new PlatformError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content-Type ${JSON.stringify(type)} is not ${allowed.join(' or ')}`,
    { hint: `Send the header "Content-Type: ${allowed[0] ?? ''}".` },
  );
}

/**
 * Collects a body and reads it. Listeners instead of an async iterator, which costs more than all the rest of a small
 * request.
 */
function readAll<T>(request: IncomingMessage, limit: number, read: (bytes: Buffer) => T): Promise<T> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let over = false;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (over) return;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      over = true;
      request.pause();
      reject(tooLarge(limit));
    });
    // No handler waits for a client that disconnects before its request is whole: nothing holds the request any more.
    request.on('end', () => {
      const [first] = chunks;
      try {
        resolve(read(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Text of bytes that must be UTF-8; null when they are not. */
function utf8(bytes: Buffer): string | null {
  if (!isUtf8(bytes)) return null;
  // A byte order mark is not part of JSON, but some editors write one.
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    ? bytes.toString('utf8', 3)
    : bytes.toString('utf8');
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  const text = utf8(bytes);
  if (text === null) throw malformed('the body is not JSON in UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`the body is not JSON in UTF-8 (${error instanceof Error ? error.message : String(error)})`);
  }
  if (!isJsonObject(value)) throw malformed('the body is not a JSON object');
  checkDepth(text, value);
  return value;
}

/** Reads a JSON object of at most `limit` bytes. No body is an empty object. */
export function readJsonBody(request: IncomingMessage, limit: number): Promise<Record<string, unknown>> {
  return readAll(request, limit, (bytes) => {
    if (bytes.length === 0) return {};
    checkContentType(request, ['application/json']);
    return parseObject(bytes);
  });
}

/** The error for nesting deeper than any message may have: serialising it would overflow the stack. */
export function nestedTooDeeply(): PlatformError {
  return malformed(`the body is nested deeper than ${LIMITS.requestDepth} levels`);
}

function checkDepth(text: string, value: unknown): void {
  if (isNestedDeeper(text, value, LIMITS.requestDepth)) throw nestedTooDeeply();
}

function parseAny(bytes: Buffer): unknown {
  const text = utf8(bytes);
  let value: unknown;
  try {
    value = text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined; // Not JSON: the caller says so in its own protocol.
  }
  checkDepth(text ?? '', value);
  return value;
}

/** Reads a body of at most `limit` bytes as JSON of any kind; undefined for invalid JSON. Throws TOO_LARGE. */
export function readAnyJson(request: IncomingMessage, limit: number): Promise<unknown> {
  return readAll(request, limit, parseAny);
}
