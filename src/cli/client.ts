import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { ERROR_RULES, type ErrorCode, PlatformError } from '../contract/errors.ts';
import {
  type CallName,
  type Input,
  OPERATIONS,
  type OperationName,
  type Output,
  type StreamName,
} from '../contract/operations.ts';
import { isJsonObject } from '../isomorphic/json.ts';
import { createSseParser, type SseEvent } from '../isomorphic/sse.ts';
import type { Client, StreamEvent } from './command.ts';

export interface ClientOptions {
  readonly url: string;
  /** Key or token; null for operations that are open. */
  readonly credential: string | null;
  /** Told when a stream was lost and is tried again. */
  readonly onRetry?: (message: string) => void;
}

/** An error that kept the request id of the answer it came in. */
export class RemoteError extends PlatformError {
  readonly requestId: string | null;

  constructor(code: ErrorCode, message: string, hint: string | null, details: unknown, requestId: string | null) {
    super(code, message, { hint: hint ?? undefined, details });
    this.requestId = requestId;
  }
}

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;
const START_HINT = 'Start the host with `npm start` or `platform start`, or name another one with --url.';

function unreachable(url: string, cause: unknown): PlatformError {
  return new PlatformError('HOST_UNREACHABLE', `No host answers at ${url}`, { hint: START_HINT, cause });
}

const isCode = (value: unknown): value is ErrorCode => typeof value === 'string' && Object.hasOwn(ERROR_RULES, value);
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The error in an answer; what is no answer of a host is said to be that. */
function errorOf(status: number, text: string, url: string): PlatformError {
  try {
    const body: unknown = JSON.parse(text);
    const error = isJsonObject(body) ? body.error : null;
    if (isJsonObject(error) && isCode(error.code)) {
      const { code, message, hint, details, request_id } = error;
      return new RemoteError(code, String(message), textOrNull(hint), details ?? null, textOrNull(request_id));
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return new PlatformError('HOST_UNREACHABLE', `${url} answered ${status}, but not as a Bot Platform host`, {
    hint: 'Check the address given by --url or PLATFORM_URL.',
  });
}

interface Prepared {
  readonly method: string;
  readonly address: string;
  readonly body: string | undefined;
}

/** Address and body of an operation, from its row of the table. */
function prepare(base: string, name: OperationName, input: Readonly<Record<string, unknown>>): Prepared {
  const { method, path } = OPERATIONS[name];
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = rest.get(field);
    rest.delete(field);
    return encodeURIComponent(String(value));
  });
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, address: `${base}${filled}`, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  const query = new URLSearchParams([...rest].map(([field, value]): [string, string] => [field, String(value)]));
  return { method, address: `${base}${filled}${query.size === 0 ? '' : `?${query}`}`, body: undefined };
}

class HttpClient implements Client {
  readonly url: string;
  readonly #credential: string | null;
  readonly #onRetry: (message: string) => void;

  constructor(options: ClientOptions) {
    this.url = options.url;
    this.#credential = options.credential;
    this.#onRetry = options.onRetry ?? (() => undefined);
  }

  async call<N extends CallName>(name: N, input: Input<N>): Promise<Output<N>> {
    const { method, address, body } = prepare(this.url, name, input as Record<string, unknown>);
    const response = await this.#fetch(address, {
      method,
      headers: { ...this.#headers(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw errorOf(response.status, text, this.url);
    const value: unknown = JSON.parse(text);
    if (name !== 'bots.query') return value as Output<N>;
    const duration = Number(response.headers.get('x-query-duration-ms') ?? 0);
    return { result: value, duration_ms: duration, mode: 'server' } as Output<N>;
  }

  async *stream<N extends StreamName>(
    name: N,
    input: Input<N>,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent<Output<N>>> {
    const { address } = prepare(this.url, name, input as Record<string, unknown>);
    let lastId = '';
    let connected = false;
    let delay = FIRST_RETRY_MS;
    while (!signal.aborted) {
      try {
        for await (const event of this.#events(address, lastId, signal)) {
          connected = true;
          delay = FIRST_RETRY_MS;
          lastId = event.id;
          yield { id: event.id, data: JSON.parse(event.data) };
        }
      } catch (error) {
        if (signal.aborted) return;
        const lost = !(error instanceof PlatformError) || error.code === 'HOST_UNREACHABLE';
        // What was there and is gone now has been deleted: the stream is over, nothing failed.
        if (connected && error instanceof PlatformError && error.status === 404) return;
        if (!lost || !connected) throw error;
        this.#onRetry('Connection lost, trying again…');
      }
      await wait(delay, undefined, { signal }).catch(() => undefined);
      delay = Math.min(delay * 2, LONGEST_RETRY_MS);
    }
  }

  publish(body: AsyncIterable<Uint8Array>, sent: (bytes: number) => void): Promise<Output<'custom_bots.publish'>> {
    const { method, path } = OPERATIONS['custom_bots.publish'];
    const address = new URL(`${this.url}${path}`);
    const headers = { ...this.#headers(), 'content-type': 'application/gzip' };
    return new Promise((resolve, reject) => {
      const send = address.protocol === 'https:' ? httpsRequest : httpRequest;
      let answered = false;
      const upload = send(address, { method, headers }, (response) => {
        answered = true;
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { statusCode = 0 } = response;
          if (statusCode === 200 || statusCode === 201) resolve(JSON.parse(text));
          else reject(errorOf(statusCode, text, this.url));
        });
      });
      // After an answer the host may close while we still send; the answer is what counts.
      upload.on('error', (error) => {
        if (!answered) reject(unreachable(this.url, error));
      });
      const write = async (): Promise<void> => {
        let bytes = 0;
        for await (const chunk of body) {
          if (answered) return;
          bytes += chunk.length;
          sent(bytes);
          if (!upload.write(chunk))
            await new Promise<void>((next) => {
              upload.once('drain', next);
              upload.once('close', next);
            });
        }
        upload.end();
      };
      write().catch((error: unknown) => {
        upload.destroy();
        reject(error);
      });
    });
  }

  async botId(text: string): Promise<string> {
    if (/^bot_[0-9a-z]{26}$/.test(text)) return text;
    const { items } = await this.call('bots.list', {});
    const exact = items.find((bot) => bot.bot_id === text || bot.name === text);
    if (exact !== undefined) return exact.bot_id;
    const near = items.filter((bot) => bot.bot_id.startsWith(text) || bot.name.startsWith(text));
    const [only] = near;
    if (only === undefined || text === '') throw new PlatformError('BOT_NOT_FOUND');
    if (near.length === 1) return only.bot_id;
    const names = near.map((bot) => `${bot.name} (${bot.bot_id})`).join(', ');
    throw new PlatformError('INVALID_REQUEST', `"${text}" may be any of ${names}`, {
      hint: 'Give more of the name or id.',
    });
  }

  #headers(): Record<string, string> {
    const who = this.#credential === null ? {} : { 'x-api-key': this.#credential };
    return { 'user-agent': `platform-cli (node ${process.versions.node})`, ...who };
  }

  async #fetch(address: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(address, { redirect: 'error', ...init });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw unreachable(this.url, error);
    }
  }

  async *#events(address: string, lastId: string, signal: AbortSignal): AsyncGenerator<SseEvent> {
    const resume = lastId === '' ? {} : { 'last-event-id': lastId };
    const response = await this.#fetch(address, {
      headers: { ...this.#headers(), accept: 'text/event-stream', ...resume },
      signal,
    });
    if (!response.ok) throw errorOf(response.status, await response.text(), this.url);
    const waiting: SseEvent[] = [];
    const parser = createSseParser((event) => waiting.push(event));
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      parser.push(decoder.decode(chunk, { stream: true }));
      yield* waiting.splice(0);
    }
  }
}

/** A client of one host over HTTP. */
export function createClient(options: ClientOptions): Client {
  return new HttpClient(options);
}
