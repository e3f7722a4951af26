import { Agent, type ClientRequestArgs, type IncomingMessage, request } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { Semaphore } from '../../../node/semaphore.ts';
import { errorText } from '../../../node/system-error.ts';
import { NobodyListens } from '../engine/engine.ts';
import { QUERY_HOST } from '../engine/query-connection.ts';
import { type RawAnswer, tryJson } from './envelope.ts';

/** A bot's query server. */
export interface QueryServer {
  /** Identity of the serving program: connections are kept only for it. */
  readonly program: object;
  /** Opens a connection to the server; rejects with NobodyListens when the program accepts none. */
  readonly connect: () => Promise<Duplex>;
}

/** A prepared request. */
export interface ServerRequest {
  /** Encoded path with its query string. */
  readonly target: string;
  readonly body: string;
  /** Sent as X-Query-Token. */
  readonly token: string | null;
  readonly timeoutMs: number;
  /** Start of the query's time, by `performance.now()`. */
  readonly begun: number;
}

/** Limit of simultaneous connections to one server. */
const MOST_CONNECTIONS = 16;

interface ServerRequestArgs extends ClientRequestArgs {
  readonly server?: QueryServer;
}

/**
 * Keeps a connection only if the server sends `Connection: keep-alive`: some SDK servers serve one connection at a
 * time, so an idle one would block all other callers.
 */
class OfferedKeepAlive extends Agent {
  readonly #offered = new WeakSet<Duplex>();
  readonly #names = new WeakMap<object, string>();
  #programs = 0;

  constructor() {
    super({ keepAlive: true, maxFreeSockets: 2, timeout: 15_000, scheduling: 'lifo' });
  }

  /** One pool for each program. */
  override getName({ server }: ServerRequestArgs = {}): string {
    if (server === undefined) throw new Error('a query goes to a server');
    const known = this.#names.get(server.program);
    if (known !== undefined) return known;
    this.#programs += 1;
    const name = `program ${this.#programs}`;
    this.#names.set(server.program, name);
    return name;
  }

  override createConnection({ server }: ServerRequestArgs, done: (error: Error | null, stream: Duplex) => void) {
    server?.connect().then(
      (stream) => done(null, asConnection(stream)),
      // No caller uses the stream of a failure.
      (error: Error) => done(error, new Socket()),
    );
    return undefined;
  }

  note(answer: IncomingMessage): void {
    const offers = /\bkeep-alive\b/i.test(answer.headers.connection ?? '');
    if (offers) this.#offered.add(answer.socket);
    else this.#offered.delete(answer.socket);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // Other kinds of streams cannot be kept; they are reopened for each query.
    if (!this.#offered.has(socket) || !(socket instanceof Socket)) return false;
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

function tookTooLong({ timeoutMs }: ServerRequest): PlatformError {
  return new PlatformError('QUERY_TIMEOUT', `The bot did not answer within ${timeoutMs / 1000} s`, {
    hint: 'Make the handler quicker, or ask with a longer timeout_sec.',
  });
}

/** Adapts a stream to Node's client, which sets a time-out: queries have a time limit of their own. */
function asConnection(stream: Duplex): Duplex {
  // The client handles errors while it waits for an answer; a later one must not end the host.
  stream.on('error', () => undefined);
  return stream instanceof Socket ? stream : Object.assign(stream, { setTimeout: () => stream });
}

/** Limit of interim answers (1xx) before the real one; a server that sends more never answers. */
const MOST_INTERIM = 16;

/** Limit of pieces of an answer: an answer that comes byte by byte costs a thousand times its size. */
const MOST_PIECES = 100_000;

interface Outcome {
  /** True if a part of an answer has arrived. */
  readonly began: boolean;
  /** True if the host aborted the request when its time was over. */
  readonly late: boolean;
  readonly reused: boolean;
  readonly error: Error;
}

type Sent = { readonly answer: RawAnswer } | { readonly failure: Outcome };

/** Reads a body to its end. A reset after complete JSON counts as an end, because some SDK servers close in this way. */
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
    // Without a length, a body that this host has aborted looks complete.
    if (answer.complete && !isLate()) done(read());
    else breakOff(new Error('the connection was closed'));
  };
  answer.on('end', end);
  answer.on('error', breakOff);
  answer.on('close', () => {
    if (!answer.readableEnded) end();
  });
}

function sendOnce(agent: OfferedKeepAlive, server: QueryServer, ask: ServerRequest, timeoutMs: number): Promise<Sent> {
  return new Promise((resolve) => {
    const body = Buffer.from(ask.body);
    const args: ServerRequestArgs = {
      agent,
      server,
      method: 'POST',
      path: ask.target,
      headers: {
        host: QUERY_HOST,
        'content-type': 'application/json',
        'content-length': body.length,
        accept: 'application/json',
        ...(ask.token === null ? {} : { 'x-query-token': ask.token }),
      },
      insecureHTTPParser: true,
    };
    const outgoing = request(args);
    let began = false;
    let late = false;
    const fail = (error: Error): void => resolve({ failure: { began, late, reused: outgoing.reusedSocket, error } });
    // Here an AbortSignal would cost more than all other work for a query.
    const timer = setTimeout(() => {
      late = true;
      const error = new Error('it took too long');
      outgoing.destroy(error);
      // A request that has no connection yet emits its end only once it has one.
      if (!began) fail(error);
    }, timeoutMs);
    outgoing.once('close', () => {
      clearTimeout(timer);
      // An answer that switches protocols (101) ends without an answer or error event.
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
    // Once an answer has begun, its reader decides: the received part may be complete.
    outgoing.on('error', (error) => {
      if (!began) fail(error);
    });
    outgoing.end(body);
  });
}

/** Client of the query servers of all bots, one for the whole host; connections are kept per program. */
export class QueryServerClient {
  readonly #agent = new OfferedKeepAlive();
  /** Replaces the agent's own limit, which counts a connection only once it is open. */
  readonly #turns = new WeakMap<object, Semaphore>();

  /** Sends a request. Throws NobodyListens, QUERY_TIMEOUT or QUERY_FAILED. The caller judges the answer. */
  async send(server: QueryServer, ask: ServerRequest): Promise<RawAnswer> {
    const left = (): number => Math.max(1, Math.round(ask.begun + ask.timeoutMs - performance.now()));
    const turns = this.#turnsOf(server.program);
    if (!turns.tryTake() && !(await turns.take(AbortSignal.timeout(left())))) throw tookTooLong(ask);
    try {
      return await this.#send(server, ask, left);
    } finally {
      turns.release();
    }
  }

  #turnsOf(program: object): Semaphore {
    const turns = this.#turns.get(program) ?? new Semaphore(MOST_CONNECTIONS);
    this.#turns.set(program, turns);
    return turns;
  }

  async #send(server: QueryServer, ask: ServerRequest, left: () => number): Promise<RawAnswer> {
    let sent = await sendOnce(this.#agent, server, ask, left());
    // The server may have just closed a kept connection. Queries change nothing, so the request is safe to repeat.
    const stale = 'failure' in sent && sent.failure.reused && !sent.failure.began && !sent.failure.late;
    if (stale) sent = await sendOnce(this.#agent, server, ask, left());
    if ('answer' in sent) return sent.answer;
    const { error, late } = sent.failure;
    if (error instanceof PlatformError) throw error;
    if (late) throw tookTooLong(ask);
    throw error instanceof NobodyListens ? error : broken(error);
  }

  close(): void {
    this.#agent.destroy();
  }
}
