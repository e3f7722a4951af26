import type { IncomingMessage } from 'node:http';
import { invalid, PlatformError } from '../../contract/errors.ts';
import { isJsonObject, jsonDepth } from '../../isomorphic/json.ts';

/** Nesting that any JSON body may have; config has its own, smaller limit. */
const MAX_DEPTH = 128;

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
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (allowed.includes(type)) return;
  throw new PlatformError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content-Type ${JSON.stringify(type)} is not ${allowed.join(' or ')}`,
    { hint: `Send the header "Content-Type: ${allowed[0] ?? ''}".` },
  );
}

async function readAll(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a JSON object of at most `limit` bytes. No body is an empty object. */
export async function readJsonBody(request: IncomingMessage, limit: number): Promise<Record<string, unknown>> {
  const bytes = await readAll(request, limit);
  if (bytes.length === 0) return {};
  checkContentType(request, ['application/json']);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw malformed(`the body is not JSON in UTF-8 (${error instanceof Error ? error.message : String(error)})`);
  }
  if (!isJsonObject(value)) throw malformed('the body is not a JSON object');
  if (jsonDepth(value, MAX_DEPTH) > MAX_DEPTH) throw malformed(`the body is nested deeper than ${MAX_DEPTH} levels`);
  return value;
}

/** Reads a body of at most `limit` bytes as JSON of any kind; undefined when it is none. Throws TOO_LARGE. */
export async function readAnyJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const bytes = await readAll(request, limit);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined; // Not JSON in UTF-8: the caller says so in its own protocol.
  }
  if (jsonDepth(value, MAX_DEPTH) > MAX_DEPTH) throw malformed(`the body is nested deeper than ${MAX_DEPTH} levels`);
  return value;
}
