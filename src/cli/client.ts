import { setTimeout as wait } from 'node:timers/promises';
import { invalid, PlatformError } from '../contract/errors.ts';
import {
  type CallName,
  type DownloadName,
  type Input,
  OPERATIONS,
  type OperationName,
  type Output,
  type StreamName,
  type UploadName,
} from '../contract/operations.ts';
import { neededPin } from '../shared/needed-pin.ts';
import { createSseParser, type SseEvent } from '../shared/sse.ts';
import type { Client, StreamEvent } from './command.ts';
import { errorOf, jsonOf, unreachable } from './host-answer.ts';
import { upload } from './send-body.ts';

/** Address of the host for a request, and the credential that it carries. */
export interface Target {
  /** Address of the host. */
  readonly url: string;
  /** Key or token, null for operations that are open. */
  readonly credential: string | null;
}

export interface ClientOptions extends Target {
  /**
   * Called before every request; `inPerson` is true if the request needs a person rather than a key. May reject with
   * HOST_UNREACHABLE. Left out: the target is fixed.
   */
  readonly renew?: (inPerson: boolean) => Promise<Target>;
  /** Called when a stream is lost and tried again, and when it is back. */
  readonly onRetry?: (message: string) => void;
  /**
   * Asks the person for the PIN, or for a new one where none was chosen; null where nobody can be asked. Left out: a call that
   * needs it fails.
   */
  readonly askPin?: (isChosen: boolean) => Promise<string | null>;
  /** Aborts pending calls with an AbortError. */
  readonly signal?: AbortSignal;
}

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;
/** A restarted host refuses its old local token until it has written its new one. */
const DENIED_RETRIES = 5;

/** Wrong PINs after which a command gives up. */
const MOST_PINS = 3;

interface Prepared {
  readonly method: string;
  readonly address: string;
  readonly body: string | undefined;
}

/** Encodes a part of the path; refuses `.` and `..`, which URLs resolve. */
function segment(field: string, value: unknown): string {
  const text = String(value);
  if (text === '' || text === '.' || text === '..') {
    const hint = 'Give the name or id as the list command shows it.';
    throw invalid('INVALID_REQUEST', [{ path: field, message: `cannot be ${JSON.stringify(text)}`, hint }]);
  }
  return encodeURIComponent(text);
}

/** Address and body of an operation, from its row of the table. */
function prepare(base: string, name: OperationName, input: Readonly<Record<string, unknown>>): Prepared {
  const { method, path, kind } = OPERATIONS[name];
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = rest.get(field);
    rest.delete(field);
    return segment(field, value);
  });
  if (method !== 'GET' && method !== 'DELETE' && kind !== 'upload') {
    return { method, address: `${base}${filled}`, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  const query = new URLSearchParams([...rest].map(([field, value]): [string, string] => [field, String(value)]));
  return { method, address: `${base}${filled}${query.size === 0 ? '' : `?${query}`}`, body: undefined };
}

/** True if a stream that was connected before goes on after this error. */
function passes(error: unknown, denied: number): boolean {
  if (!(error instanceof PlatformError)) return false;
  return error.status >= 500 || error.status === 429 || (error.status === 401 && denied < DENIED_RETRIES);
}

function headersOf(credential: Target['credential']): Record<string, string> {
  const agent = { 'user-agent': `platform-cli (node ${process.versions.node})` };
  if (credential === null) return agent;
  if (!/^[\x21-\x7e]+$/.test(credential)) {
    throw new PlatformError('INVALID_API_KEY', 'The API key has characters that no key has', {
      hint: 'Copy it again, without spaces and line ends: PLATFORM_API_KEY, or `platform auth login`.',
    });
  }
  return { ...agent, 'x-api-key': credential };
}

class HttpClient implements Client {
  url: string;
  readonly #renew: (inPerson: boolean) => Promise<Target>;
  readonly #onRetry: (message: string) => void;
  readonly #askPin: (isChosen: boolean) => Promise<string | null>;
  readonly #signal: AbortSignal | undefined;
  /** Answer of the host to a right PIN, which goes along with further calls. */
  #confirmation: string | null = null;

  constructor({ url, credential, renew, onRetry, askPin, signal }: ClientOptions) {
    this.url = url;
    this.#renew = renew ?? (async () => ({ url, credential }));
    this.#onRetry = onRetry ?? (() => undefined);
    this.#askPin = askPin ?? (async () => null);
    this.#signal = signal;
  }

  async call<N extends CallName>(name: N, input: Input<N>): Promise<Output<N>> {
    try {
      return await this.#send(name, input);
    } catch (error) {
      const needed = error instanceof PlatformError ? neededPin(error) : null;
      if (needed === null || !(await this.#confirm(needed.isChosen))) throw error;
      return await this.#send(name, input);
    }
  }

  /** Has the person enter or choose a PIN; false where nobody can be asked. */
  async #confirm(isChosen: boolean): Promise<boolean> {
    for (let left = MOST_PINS; ; left--) {
      const pin = await this.#askPin(isChosen);
      if (pin === null) return false;
      try {
        const answer = isChosen ? await this.#send('pin.confirm', { pin }) : await this.#send('pin.set', { pin });
        this.#confirmation = answer.confirmation;
        return true;
      } catch (error) {
        if (!(error instanceof PlatformError) || error.code !== 'WRONG_PIN' || left === 1) throw error;
        this.#onRetry(error.message);
      }
    }
  }

  async #send<N extends CallName>(name: N, input: Input<N>): Promise<Output<N>> {
    const { url, credential } = await this.#target(name);
    const { method, address, body } = prepare(url, name, input as Record<string, unknown>);
    const response = await this.#fetch(address, {
      method,
      headers: {
        ...headersOf(credential),
        ...(this.#confirmation === null ? {} : { 'x-platform-confirmation': this.#confirmation }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      ...(this.#signal === undefined ? {} : { signal: this.#signal }),
    });
    const value = jsonOf(response.status, await this.#text(response, url), url);
    if (OPERATIONS[name].answer !== 'bot') return value as Output<N>;
    const duration = Number(response.headers.get('x-query-duration-ms') ?? 0);
    return { result: value, duration_ms: duration, mode: 'server' } as Output<N>;
  }

  async *stream<N extends StreamName>(
    name: N,
    input: Input<N>,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent<Output<N>>> {
    const link = { opened: false, lastId: '' };
    let delay = FIRST_RETRY_MS;
    let denied = 0;
    let told = false;
    while (!signal.aborted) {
      try {
        const onOpen = (): void => {
          if (told) this.#onRetry('Connected again.');
          told = false;
        };
        const { url, credential } = await this.#target(name);
        const { address } = prepare(url, name, input as Record<string, unknown>);
        for await (const event of this.#events(address, credential, link, signal, onOpen)) {
          delay = FIRST_RETRY_MS;
          denied = 0;
          yield { id: event.id, data: JSON.parse(event.data) };
        }
      } catch (error) {
        if (signal.aborted) return;
        // An opened stream whose target is gone has ended: the target was deleted.
        if (link.opened && error instanceof PlatformError && error.status === 404) return;
        if (!link.opened || !passes(error, denied)) throw error;
        if (error instanceof PlatformError && error.status === 401) denied += 1;
        if (!told) this.#onRetry('Connection lost, trying again…');
        told = true;
      }
      await wait(delay, undefined, { signal }).catch(() => undefined);
      delay = Math.min(delay * 2, LONGEST_RETRY_MS);
    }
  }

  async upload<N extends UploadName>(
    name: N,
    input: Input<N>,
    body: AsyncIterable<Uint8Array>,
    sent: (bytes: number) => void,
  ): Promise<Output<N>> {
    const { url, credential } = await this.#target(name);
    const { method, address } = prepare(url, name, input);
    const answer = await upload({
      host: url,
      address,
      method,
      // The host looks at the first bytes of a package to tell its kind.
      headers: { ...headersOf(credential), 'content-type': 'application/octet-stream' },
      loggedIn: credential !== null,
      signal: this.#signal,
      body,
      sent,
    });
    return answer as Output<N>;
  }

  async *download<N extends DownloadName>(name: N, input: Input<N>): AsyncGenerator<Uint8Array> {
    const { url, credential } = await this.#target(name);
    const { address } = prepare(url, name, input);
    const signal = this.#signal === undefined ? {} : { signal: this.#signal };
    const { body } = await this.#fetch(address, { headers: headersOf(credential), ...signal });
    const reader = body?.getReader();
    try {
      for (;;) {
        const piece = await reader?.read().catch((error: unknown) => {
          throw this.#signal?.aborted === true ? error : unreachable(url, error);
        });
        if (piece === undefined || piece.done) return;
        yield piece.value;
      }
    } finally {
      // A reader that stops early would leave the connection open; a broken connection has nothing to cancel.
      await reader?.cancel().catch(() => undefined);
    }
  }

  async botId(text: string): Promise<string> {
    if (/^bot_[0-9a-z]{26}$/.test(text)) return text;
    const { items } = await this.call('bots.list', {});
    const exact = items.find((bot) => bot.bot_id === text || bot.name === text);
    if (exact !== undefined) return exact.bot_id;
    const start = text.toLowerCase();
    const near = items.filter((bot) => bot.bot_id.startsWith(start) || bot.name.toLowerCase().startsWith(start));
    const [only] = near;
    if (only === undefined || text === '') throw new PlatformError('BOT_NOT_FOUND');
    if (near.length === 1) return only.bot_id;
    const names = near.map((bot) => `${bot.name} (${bot.bot_id})`).join(', ');
    throw new PlatformError('INVALID_REQUEST', `"${text}" may be any of ${names}`, {
      hint: 'Give more of the name or id.',
    });
  }

  /** Returns the current target. */
  async #target(name: OperationName): Promise<Target> {
    const target = await this.#renew(OPERATIONS[name].session !== 'optional');
    this.url = target.url;
    return target;
  }

  /** Returns a successful answer; throws the error that any other carries. */
  async #fetch(address: string, init: RequestInit): Promise<Response> {
    const url = new URL(address).origin;
    const response = await fetch(address, { redirect: 'error', ...init }).catch((error: unknown) => {
      throw init.signal?.aborted === true ? error : unreachable(url, error);
    });
    if (response.ok) return response;
    const loggedIn = new Headers(init.headers).has('x-api-key');
    const { status, headers } = response;
    const text = await this.#text(response, url);
    throw errorOf({ status, text, retryAfter: headers.get('retry-after') }, url, loggedIn);
  }

  async #text(response: Response, url: string): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      throw this.#signal?.aborted === true ? error : unreachable(url, error);
    }
  }

  /** Yields the events of one connection after the last one seen; `link` keeps the position for the next connection. */
  async *#events(
    address: string,
    credential: Target['credential'],
    link: { opened: boolean; lastId: string },
    signal: AbortSignal,
    onOpen: () => void,
  ): AsyncGenerator<SseEvent> {
    const resume = link.lastId === '' ? {} : { 'last-event-id': link.lastId };
    const headers = { ...headersOf(credential), accept: 'text/event-stream', ...resume };
    const response = await this.#fetch(address, { headers, signal });
    link.opened = true;
    onOpen();
    const waiting: SseEvent[] = [];
    const parser = createSseParser((event) => waiting.push(event));
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    // Not left to fetch: on Node 20 its signal no longer reaches a stream after much traffic.
    const cancel = (): void => {
      reader?.cancel().catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      for (;;) {
        const piece = await reader?.read().catch((error: unknown) => {
          throw unreachable(new URL(address).origin, error);
        });
        if (piece === undefined || piece.done) return;
        parser.push(decoder.decode(piece.value, { stream: true }));
        for (const event of waiting.splice(0)) yield event;
        // A stream that sent no id resumes where the previous one stopped.
        if (parser.lastId !== '') link.lastId = parser.lastId;
      }
    } finally {
      signal.removeEventListener('abort', cancel);
      // Without this a reader that stops early would leave the connection open; a broken connection has nothing to cancel.
      await reader?.cancel().catch(() => undefined);
    }
  }
}

/** A client of one host over HTTP. */
export function createClient(options: ClientOptions): Client {
  return new HttpClient(options);
}
