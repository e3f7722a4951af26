import type { Duplex } from 'node:stream';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { Semaphore } from '../../../node/semaphore.ts';
import { errorText } from '../../../node/system-error.ts';
import { NobodyListens } from '../engine/engine.ts';
import { QUERY_HOST } from '../engine/query-connection.ts';
import { type RawAnswer, tryJson } from './envelope.ts';
import { BadResponse, BodyTooLarge, type HttpResponse } from './response-reader.ts';
import { type Exchange, QueryConnection } from './server-connection.ts';

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
/** A new connection that has no answer after this time, while others lie idle, may wait for one of these to end. */
const STALLED_MS = 250;

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

/** The request as bytes: servers of SDKs have met these headers in this order and case for long. */
function requestText({ target, body, token }: ServerRequest): string {
  // Both come checked; a line end in one of them would begin a request of its own.
  if (/[^\x21-\x7e]/.test(`${target}${token ?? ''}`))
    throw new Error('a query has a target or token that is no header');
  const withToken = token === null ? '' : `x-query-token: ${token}\r\n`;
  const length = Buffer.byteLength(body);
  return (
    `POST ${target} HTTP/1.1\r\nhost: ${QUERY_HOST}\r\ncontent-type: application/json\r\n` +
    `content-length: ${length}\r\naccept: application/json\r\n${withToken}Connection: keep-alive\r\n\r\n${body}`
  );
}

/** The time of a query was over. */
class TooLate extends Error {}

/**
 * The response of an exchange, also where its connection ended too early but all of its JSON is there: some SDK servers
 * close in this way. A number may go on behind the part that has arrived.
 */
function responseOf(exchange: Exchange): HttpResponse | null {
  if ('response' in exchange) return exchange.response;
  if (!exchange.read.began || exchange.error instanceof BadResponse) return null;
  const cut = exchange.read.soFar();
  const json = tryJson(cut.text);
  return json === undefined || typeof json.value === 'number' ? null : cut;
}

/** Whether a kept connection may have been closed by its server before it got the request. */
function isStale({ error, read }: Extract<Exchange, { readonly error: Error }>): boolean {
  return !read.began && !(error instanceof TooLate) && !(error instanceof BodyTooLarge);
}

/** The connections to one program. */
interface Connections {
  /** Limits them: an exchange or an attempt to connect takes a turn. */
  readonly turns: Semaphore;
  /** Those that wait for a request, the last used one at the end. */
  readonly free: QueryConnection[];
  /** False for a server that serves fewer connections than it accepts: one that lies idle keeps callers out. */
  keeps: boolean;
}

/** Ends idle connections, one of which a caller may be waiting for, and keeps no more to this program. */
function giveWay(connections: Connections): void {
  if (connections.free.length === 0) return;
  connections.keeps = false;
  for (const connection of [...connections.free]) connection.abort(new Error('it keeps others out'));
}

/** Client of the query servers of all bots, one for the whole host; connections are kept per program. */
export class QueryServerClient {
  readonly #programs = new WeakMap<object, Connections>();
  readonly #open = new Set<QueryConnection>();

  /** Sends a request. Throws NobodyListens, QUERY_TIMEOUT or QUERY_FAILED. The caller judges the answer. */
  async send(server: QueryServer, ask: ServerRequest): Promise<RawAnswer> {
    const left = (): number => Math.max(1, Math.round(ask.begun + ask.timeoutMs - performance.now()));
    const request = requestText(ask);
    const connections = this.#connectionsOf(server.program);
    const { turns } = connections;
    if (!turns.tryTake() && !(await turns.take(AbortSignal.timeout(left())))) throw tookTooLong(ask);
    try {
      return await this.#send(server, connections, request, left);
    } catch (error) {
      if (error instanceof TooLate) throw tookTooLong(ask);
      if (error instanceof BodyTooLarge) throw tooLarge();
      if (error instanceof PlatformError || error instanceof NobodyListens) throw error;
      throw broken(error instanceof Error ? error : new Error(String(error)));
    } finally {
      turns.release();
    }
  }

  #connectionsOf(program: object): Connections {
    const known = this.#programs.get(program) ?? { turns: new Semaphore(MOST_CONNECTIONS), free: [], keeps: true };
    this.#programs.set(program, known);
    return known;
  }

  async #send(
    server: QueryServer,
    connections: Connections,
    request: string,
    left: () => number,
  ): Promise<HttpResponse> {
    const kept = connections.free.pop();
    if (kept !== undefined) {
      const exchange = await this.#exchange(kept, connections, request, left());
      const response = responseOf(exchange);
      if (response !== null) return response;
      // The server may have just closed it. Queries change nothing, so the request is safe to repeat.
      if ('error' in exchange && !isStale(exchange)) throw exchange.error;
    }
    const opened = await this.#connect(server, connections, left());
    const stalled = setInterval(() => giveWay(connections), STALLED_MS);
    const exchange = await this.#exchange(opened, connections, request, left());
    clearInterval(stalled);
    const response = responseOf(exchange);
    if (response !== null) return response;
    throw 'error' in exchange ? exchange.error : new Error('no answer');
  }

  async #exchange(
    connection: QueryConnection,
    connections: Connections,
    request: string,
    ms: number,
  ): Promise<Exchange> {
    // Here an AbortSignal would cost more than all other work for a query.
    const timer = setTimeout(() => connection.abort(new TooLate()), ms);
    const exchange = await connection.exchange(request, LIMITS.queryResponseBytes);
    clearTimeout(timer);
    if ('response' in exchange && connection.rest(connections.keeps && exchange.response.keep)) {
      connections.free.push(connection);
    }
    return exchange;
  }

  /** Opens a connection. Rejects with TooLate, NobodyListens, or why the engine opens none. */
  #connect(server: QueryServer, { free }: Connections, ms: number): Promise<QueryConnection> {
    const gone = (connection: QueryConnection): void => {
      this.#open.delete(connection);
      const at = free.indexOf(connection);
      if (at >= 0) free.splice(at, 1);
    };
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        reject(new TooLate());
      }, ms);
      const open = (stream: Duplex): void => {
        const connection = new QueryConnection(stream, gone);
        this.#open.add(connection);
        if (late) connection.abort(new TooLate());
        else resolve(connection);
      };
      server
        .connect()
        .then(open, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  close(): void {
    for (const connection of this.#open) connection.abort(new Error('the host ends'));
  }
}
