import { once } from 'node:events';
import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { PlatformError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { createSseParser } from '../shared/sse.ts';
import { ByteLines } from './byte-lines.ts';
import {
  type BridgeError,
  cancelledId,
  failureLine,
  type HostLine,
  hostLine,
  idsOf,
  introducedName,
  isAnswer,
  isSubscription,
  type MessageId,
  modernHeaders,
  strayLine,
} from './mcp-message.ts';

/** Address of the host for a message, and the credential that it carries. */
export interface BridgeTarget {
  /** Address of the host, such as `http://127.0.0.1:4747`. */
  readonly url: string;
  readonly credential: string | null;
  /** True for the host's own credential, which changes with each start. */
  readonly local: boolean;
}

export interface BridgeOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly path: string;
  /** Called for every message, so that a restarted host is found; null while none runs. */
  readonly target: () => Promise<BridgeTarget | null>;
  /** The advice when no host answers; `url` is null if unknown. */
  readonly notRunning: (url: string | null) => string;
  readonly userAgent: string;
  /** Ends the bridge and everything under way. */
  readonly signal: AbortSignal;
  /** Longest time that calls under way may take after the end of the input, in ms; left out: longer than any call lasts. */
  readonly finishMs?: number;
}

/** The host takes 4 MiB; a longer line is still read up to here, so that the error can name its id. */
const LINE_BYTES = 16 * 1024 * 1024;
const BODY_BYTES = 4 * 1024 * 1024;
const ANSWER_BYTES = 16 * 1024 * 1024;
const MOST_WAITING = 256;
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
/** A restarted host refuses its old local token until it has written its new one. */
const DENIED_RETRIES = 5;
const DENIED_WAIT_MS = 100;
/** A host that hangs must not leave this process behind its client. */
const FINISH_MS = (LIMITS.queryTimeoutMaxSec + 30) * 1000;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL = -32603;
const UNAVAILABLE = 503;

const TOO_LONG: BridgeError = {
  code: INVALID_REQUEST,
  message: `The message is larger than ${BODY_BYTES / 1024 / 1024} MiB. Send less at once.`,
};

const TOO_LATE: BridgeError = {
  code: UNAVAILABLE,
  message:
    'The bot host did not answer before the end. The call may have been carried out: look first, then repeat it if it is missing.',
};

/** One message on its way. */
interface Post {
  readonly body: string;
  readonly message: unknown;
  /** Ids that still wait for an answer. */
  readonly waiting: Set<MessageId>;
  readonly batch: boolean;
  readonly end: AbortController;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Copies JSON-RPC messages between a client's stdin and stdout and POSTs to a host; it keeps no state of the protocol. */
class Bridge {
  readonly #options: BridgeOptions;
  readonly #agents = { 'http:': new Agent({ keepAlive: true }), 'https:': new TlsAgent({ keepAlive: true }) };
  readonly #open = new Set<Post>();
  /** Messages that were read and wait for room; no more are read meanwhile. */
  readonly #queue: Post[] = [];
  #bytes = 0;
  #client: string | null = null;
  #ended = false;
  #done: () => void = () => undefined;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** Resolves once the input ended and every answer was written or came too late, or the signal came. */
  async run(): Promise<void> {
    const { input, signal } = this.#options;
    const lines = new ByteLines(
      { line: (text) => this.#take(text), tooLong: () => void this.#write(strayLine(TOO_LONG)) },
      LINE_BYTES,
    );
    const finished = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    let late: NodeJS.Timeout | undefined;
    const inputEnded = (): void => {
      if (this.#ended) return;
      lines.end();
      this.#ended = true;
      late = setTimeout(() => this.#giveUp(), this.#options.finishMs ?? FINISH_MS);
      this.#drop((post) => isSubscription(post.message));
      this.#finishIfIdle();
    };
    const stop = (): void => {
      this.#ended = true;
      this.#queue.length = 0;
      for (const post of this.#open) post.end.abort();
      this.#finishIfIdle();
    };
    input.on('data', (chunk: Buffer) => lines.push(chunk));
    for (const event of ['end', 'close', 'error']) input.once(event, inputEnded);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await finished;
    clearTimeout(late);
    input.destroy();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #finishIfIdle(): void {
    if (this.#ended && this.#open.size === 0 && this.#queue.length === 0) this.#done();
  }

  /** Aborts sent messages and drops waiting ones. */
  #drop(which: (post: Post) => boolean): void {
    for (const post of this.#open) if (which(post)) post.end.abort();
    const kept = this.#queue.filter((post) => !which(post));
    this.#queue.splice(0, this.#queue.length, ...kept);
  }

  /** The client has cancelled that request. The rest of a batch goes on. */
  #cancel(id: MessageId): void {
    const asked = [...this.#open, ...this.#queue].filter(({ waiting }) => waiting.delete(id));
    this.#drop((post) => asked.includes(post) && post.waiting.size === 0);
    this.#sendQueued();
  }

  #giveUp(): void {
    for (const post of [...this.#queue.splice(0), ...this.#open]) {
      void this.#fail(post, TOO_LATE);
      post.end.abort();
    }
    // The bridge ends even while a client that does not read holds up the last lines.
    this.#done();
  }

  #take(text: string): void {
    if (text.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      void this.#write(strayLine({ code: PARSE_ERROR, message: 'Parse error: this line is not JSON' }));
      return;
    }
    const cancelled = cancelledId(message);
    if (cancelled !== null) {
      this.#cancel(cancelled);
      return;
    }
    if (isAnswer(message)) return;
    this.#client = introducedName(message) ?? this.#client;
    const waiting = new Set(idsOf(message));
    const post = { body: text, message, waiting, batch: Array.isArray(message), end: new AbortController() };
    if (text.length > BODY_BYTES) {
      void this.#fail(post, TOO_LONG);
    } else {
      this.#queue.push(post);
      this.#sendQueued();
    }
  }

  /** Sends as many messages as there is room for. Reading stops while some wait, so that a client in a hurry fills no memory. */
  #sendQueued(): void {
    for (let post = this.#queue[0]; post !== undefined && this.#hasRoom(post); post = this.#queue[0]) {
      this.#queue.shift();
      void this.#relay(post);
    }
    if (this.#queue.length > 0) this.#options.input.pause();
    else if (!this.#ended) this.#options.input.resume();
  }

  #hasRoom({ body }: Post): boolean {
    if (this.#open.size === 0) return true;
    return this.#open.size < MOST_WAITING && this.#bytes + body.length <= MOST_WAITING_BYTES;
  }

  async #relay(post: Post): Promise<void> {
    this.#open.add(post);
    this.#bytes += post.body.length;
    try {
      await this.#exchange(post);
    } catch (error) {
      if (!post.end.signal.aborted) await this.#fail(post, this.#explain(error));
    } finally {
      this.#open.delete(post);
      this.#bytes -= post.body.length;
      this.#sendQueued();
      this.#finishIfIdle();
    }
  }

  async #exchange(post: Post): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const target = await this.#options.target();
      if (target === null) {
        await this.#fail(post, { code: UNAVAILABLE, message: this.#options.notRunning(null) });
        return;
      }
      const response = await this.#send(post, target);
      const again = response.statusCode === 401 && target.local && attempt < DENIED_RETRIES;
      if (!again) {
        await this.#copy(post, response, target.url);
        return;
      }
      response.resume();
      await wait(DENIED_WAIT_MS, undefined, { signal: post.end.signal });
    }
  }

  #send({ body, message, end }: Post, { url, credential }: BridgeTarget): Promise<IncomingMessage> {
    const address = new URL(this.#options.path, url);
    const secure = address.protocol === 'https:';
    const { userAgent } = this.#options;
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'application/json, text/event-stream',
      'user-agent': this.#client === null ? userAgent : `${this.#client} (${userAgent})`,
      ...(credential === null ? {} : { 'x-api-key': credential }),
      ...modernHeaders(message),
    };
    const options = { method: 'POST', headers, signal: end.signal };
    return new Promise((resolve, reject) => {
      const sent = secure
        ? requestHttps(address, { ...options, agent: this.#agents['https:'] }, resolve)
        : requestHttp(address, { ...options, agent: this.#agents['http:'] }, resolve);
      sent.once('error', (cause) => reject(new SendError(url, cause)));
      sent.end(body);
    });
  }

  async #copy(post: Post, response: IncomingMessage, url: string): Promise<void> {
    try {
      const stream = (response.headers['content-type'] ?? '').startsWith('text/event-stream');
      if (stream) await this.#copyEvents(post, response);
      else await this.#copyBody(post, response, url);
      if (post.waiting.size > 0) throw new Error('the answer ended too early');
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      throw new SendError(url, error);
    }
  }

  /** Copies a plain answer. */
  async #copyBody(post: Post, response: IncomingMessage, url: string): Promise<void> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      size += chunk.length;
      if (size > ANSWER_BYTES) throw new PlatformError('TOO_LARGE', 'The answer of the host is larger than 16 MiB');
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString('utf8').trim();
    const expected = post.waiting.size > 0;
    if (text === '' && !expected) return;
    const answer = hostLine(text, post);
    // A message that answers nothing is passed on only where no answer is expected.
    if (answer !== null && (answer.ids.length > 0 || !expected)) await this.#answer(post, answer);
    if (answer === null || post.waiting.size > 0) {
      throw new PlatformError('HOST_UNREACHABLE', `${url} answered ${response.statusCode}, but not as a bot host`, {
        hint: 'Check --url, --data and PLATFORM_URL of this command.',
      });
    }
  }

  /** Copies a stream of messages as they come. */
  async #copyEvents(post: Post, response: IncomingMessage): Promise<void> {
    const found: string[] = [];
    const parser = createSseParser(({ data }) => found.push(data), { maxChars: ANSWER_BYTES });
    const decoder = new TextDecoder();
    for await (const chunk of response) {
      parser.push(decoder.decode(chunk, { stream: true }));
      for (const data of found.splice(0)) {
        const answer = hostLine(data, post);
        if (answer !== null) await this.#answer(post, answer);
      }
    }
  }

  #answer({ waiting }: Post, { line, ids }: HostLine): Promise<void> {
    for (const id of ids) waiting.delete(id);
    return this.#write(line);
  }

  #explain(error: unknown): BridgeError {
    if (error instanceof PlatformError) {
      const next = error.hint === null ? '' : `. ${error.hint}`;
      return { code: error.status, message: `${error.message}${next}`, data: error.toBody() };
    }
    if (error instanceof SendError) return this.#explainLost(error);
    // One failed call must not end the others: a file that cannot be read now may be there for the next.
    return { code: INTERNAL, message: `platform mcp failed: ${error instanceof Error ? error.message : error}` };
  }

  #explainLost({ url, cause }: SendError): BridgeError {
    const code = codeOf(cause);
    const data = { code: 'HOST_UNREACHABLE', url, reason: code === '' ? null : code };
    if (code === 'ECONNREFUSED') return { code: UNAVAILABLE, message: this.#options.notRunning(url), data };
    if (code === '' || code === 'ECONNRESET' || code === 'EPIPE') {
      const message = 'The connection to the bot host was lost before it answered';
      const next = 'The call may have been carried out: look first, then repeat it if it is missing.';
      return { code: UNAVAILABLE, message: `${message}. ${next}`, data };
    }
    const hint = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)
      ? 'Its certificate is not trusted here: name its file in NODE_EXTRA_CA_CERTS.'
      : 'Check the address, then try again.';
    return { code: UNAVAILABLE, message: `The bot host at ${url} cannot be reached (${code}). ${hint}`, data };
  }

  async #fail({ waiting, batch }: Post, error: BridgeError): Promise<void> {
    const line = failureLine([...waiting], batch, error);
    waiting.clear();
    if (line !== null) await this.#write(line);
  }

  /** Writes a line; waits while the client does not read, so that nothing piles up here. */
  async #write(line: string): Promise<void> {
    const { input, output, signal } = this.#options;
    if (output.write(`${line}\n`) || output.destroyed) return;
    input.pause();
    await once(output, 'drain', { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    this.#sendQueued();
  }
}

/** Error of a connection that was not made, or broke. */
class SendError extends Error {
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}`, { cause });
    this.url = url;
  }
}

/**
 * Runs a bridge between a client that can only start a command and POST /mcp of a host (MCP, stdio transport): one line in is one
 * POST out, its answers are lines again. Resolves when the input has ended and every answer was written or is overdue.
 */
export async function runBridge(options: BridgeOptions): Promise<void> {
  await new Bridge(options).run();
}
