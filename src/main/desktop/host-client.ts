import { PlatformError } from '../../contract/errors.ts';
import { type CallName, type Input, OPERATIONS, type Output, type StreamName } from '../../contract/operations.ts';
import { errorText } from '../../node/system-error.ts';
import { parsedOrNull } from '../../shared/json.ts';
import { toldError } from '../../shared/parse-told-error.ts';
import { createSseParser } from '../../shared/sse.ts';

/** Address of a host and a credential; null for public operations. */
export interface HostAddress {
  readonly url: string;
  readonly token: string | null;
}

const CALL_MS = 15_000;

function headersOf({ token }: HostAddress): Record<string, string> {
  const json = { 'content-type': 'application/json' };
  return token === null ? json : { ...json, authorization: `Bearer ${token}` };
}

async function request(
  address: HostAddress,
  path: string,
  init: Omit<RequestInit, 'headers'>,
  headers: Record<string, string> = {},
): Promise<Response> {
  try {
    return await fetch(`${address.url}${path}`, { ...init, headers: { ...headersOf(address), ...headers } });
  } catch (cause) {
    throw new PlatformError('HOST_UNREACHABLE', `No host answers at ${address.url}: ${errorText(cause)}`, { cause });
  }
}

/** Calls an operation of a host; throws the host's own error, or HOST_UNREACHABLE. */
export async function callHost<N extends CallName>(address: HostAddress, name: N, input: Input<N>): Promise<Output<N>> {
  const { method, path } = OPERATIONS[name];
  const rest = new Map(Object.entries(input));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(rest.get(field));
    rest.delete(field);
    return encodeURIComponent(value);
  });
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: JSON.stringify(Object.fromEntries(rest)) };
  const answer = await request(address, filled, { method, ...body, signal: AbortSignal.timeout(CALL_MS) });
  const value = parsedOrNull(await answer.text());
  if (!answer.ok) throw toldError(value, `The host answered ${answer.status} to ${name}`);
  return value as Output<N>;
}

/** Listeners of a stream. */
export interface Told<N extends StreamName> {
  /** The host has begun to tell. */
  onOpen(): void;
  onEvent(event: Output<N>): void;
  /** Position of the stream: the next event comes after it. */
  onId?(id: string): void;
}

/** Follows a stream whose address needs no input, after an id ('': from now on) until the signal or the host ends it. */
export async function followStream<N extends StreamName>(
  address: HostAddress,
  name: N,
  after: string,
  signal: AbortSignal,
  told: Told<N>,
): Promise<void> {
  const resumed = after === '' ? {} : { 'last-event-id': after };
  const answer = await request(address, OPERATIONS[name].path, { signal }, resumed);
  if (!answer.ok || answer.body === null) throw toldError(null, `The host answered ${answer.status} to ${name}`);
  told.onOpen();
  const parser = createSseParser(({ event, data }) => {
    // After a gap the host ends the stream, and the follower reads everything again.
    if (event !== 'error' && event !== 'gap' && data !== '') told.onEvent(JSON.parse(data));
  });
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    parser.push(text);
    if (parser.lastId !== '') told.onId?.(parser.lastId);
  }
}
