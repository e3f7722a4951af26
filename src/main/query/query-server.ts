import { Agent, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { errorText, systemErrorCode } from '../base/system-error.ts';
import { type RawAnswer, tryJson } from './envelope.ts';

/** Where a bot's query server listens. */
export interface QueryAddress {
  readonly host: string;
  readonly port: number;
}

/** A request that is ready to be sent. */
export interface ServerRequest {
  /** Encoded path with its query string. */
  readonly target: string;
  readonly body: string;
  readonly timeoutMs: number;
}

/** The server could not be reached: nobody listens there. */
export class NobodyListens extends Error {
  override readonly name = 'NobodyListens';
}

/**
 * Keeps a connection only where the server says `Connection: keep-alive`: some SDK servers serve one connection at a
 * time and would be blocked for everybody else by one that waits (origin.md section 2.2).
 */
class OfferedKeepAlive extends Agent {
  readonly #offered = new WeakSet<Duplex>();

  constructor() {
    super({ keepAlive: true, maxSockets: 16, maxFreeSockets: 2, timeout: 15_000, scheduling: 'lifo' });
  }

  note(answer: IncomingMessage): void {
    const offers = /\bkeep-alive\b/i.test(answer.headers.connection ?? '');
    if (offers) this.#offered.add(answer.socket);
    else this.#offered.delete(answer.socket);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    if (!this.#offered.has(socket)) return false;
    const kept: unknown = super.keepSocketAlive(socket);
    return kept !== false;
  }
}

function tooLarge(): PlatformError {
  return new PlatformError('QUERY_FAILED', `The bot's answer is larger than ${LIMITS.queryResponseBytes} bytes`, {
    hint: 'Let the handler return less, e.g. in pages.',
  });
}

function broken(error: Error): PlatformError {
  return new PlatformError('QUERY_FAILED', `The bot's query server broke off: ${errorText(error)}`, {
    hint: "The log of the bot's query program may say why.",
    cause: error,
  });
}

/** Interim answers (1xx) before the real one; a server that sends more of them sends nothing else. */
const MOST_INTERIM = 16;

/** Pieces of an answer: one that comes byte by byte would cost its reader a thousand times what its size says. */
const MOST_PIECES = 100_000;

interface Outcome {
  /** Something of an answer has arrived. */
  readonly began: boolean;
  /** It was broken off because its time was over. */
  readonly late: boolean;
  readonly reused: boolean;
  readonly error: Error;
}

type Sent = { readonly answer: RawAnswer } | { readonly failure: Outcome };

/** Reads a body to its end. A reset after complete JSON is an end like any other (wire.md section 5). */
function readBody(answer: IncomingMessage, isLate: () => boolean, done: (result: RawAnswer | Error) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const read = (): RawAnswer => ({
    status: answer.statusCode ?? 0,
    text: Buffer.concat(chunks).toString('utf8'),
  });
  const breakOff = (error: Error): void => {
    const raw = read();
    done(tryJson(raw.text) === undefined ? error : raw);
  };
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (chunks.length >= MOST_PIECES) {
      done(new Error('its answer comes in too many small pieces'));
      answer.destroy();
    } else if (bytes <= LIMITS.queryResponseBytes) chunks.push(chunk);
    else {
      done(tooLarge());
      answer.destroy();
    }
  });
  const end = (): void => {
    // Without a length, a body that was broken off here looks whole.
    if (answer.complete && !isLate()) done(read());
    else breakOff(new Error('the connection was closed'));
  };
  answer.on('end', end);
  answer.on('error', breakOff);
  answer.on('close', () => {
    if (!answer.readableEnded) end();
  });
}

function sendOnce(agent: OfferedKeepAlive, at: QueryAddress, ask: ServerRequest, timeoutMs: number): Promise<Sent> {
  return new Promise((resolve) => {
    const body = Buffer.from(ask.body);
    const outgoing = request({
      agent,
      host: at.host,
      port: at.port,
      method: 'POST',
      path: ask.target,
      headers: { 'content-type': 'application/json', 'content-length': body.length, accept: 'application/json' },
      insecureHTTPParser: true,
    });
    let began = false;
    let late = false;
    const fail = (error: Error): void => resolve({ failure: { began, late, reused: outgoing.reusedSocket, error } });
    // Not an AbortSignal, which costs a query more than all else that is done for it here.
    const timer = setTimeout(() => {
      late = true;
      outgoing.destroy(new Error('it took too long'));
    }, timeoutMs);
    outgoing.once('close', () => {
      clearTimeout(timer);
      // No answer and no error either: that is how an answer ends that asks for another protocol (101).
      if (!began) fail(new Error('the connection was closed without an answer'));
    });
    let interim = 0;
    outgoing.on('information', () => {
      interim += 1;
      if (interim > MOST_INTERIM) outgoing.destroy(new Error('it sends interim answers without end'));
    });
    outgoing.on('response', (answer) => {
      began = true;
      agent.note(answer);
      const done = (result: RawAnswer | Error): void =>
        result instanceof Error ? fail(result) : resolve({ answer: result });
      readBody(answer, () => late, done);
    });
    // Once an answer has begun its reader decides: what has arrived may be complete.
    outgoing.on('error', (error) => {
      if (!began) fail(error);
    });
    outgoing.end(body);
  });
}

/** Sends queries to the servers of bots. One for the whole host; connections are kept per address. */
export class QueryServerClient {
  readonly #agent = new OfferedKeepAlive();

  /** Throws NobodyListens, QUERY_TIMEOUT or QUERY_FAILED. The answer is not judged here. */
  async send(at: QueryAddress, ask: ServerRequest): Promise<RawAnswer> {
    const started = performance.now();
    let sent = await sendOnce(this.#agent, at, ask, ask.timeoutMs);
    // A kept connection may have been closed by the server just now. Queries change nothing, so one more is harmless.
    const stale = 'failure' in sent && sent.failure.reused && !sent.failure.began && !sent.failure.late;
    if (stale) sent = await sendOnce(this.#agent, at, ask, started + ask.timeoutMs - performance.now());
    if ('answer' in sent) return sent.answer;
    const { error, late } = sent.failure;
    if (error instanceof PlatformError) throw error;
    if (late) {
      throw new PlatformError('QUERY_TIMEOUT', `The bot did not answer within ${ask.timeoutMs / 1000} s`, {
        hint: 'Make the handler quicker, or ask with a longer timeout_sec.',
      });
    }
    if (systemErrorCode(error) === 'ECONNREFUSED') throw new NobodyListens(error.message);
    throw broken(error);
  }

  close(): void {
    this.#agent.destroy();
  }
}
