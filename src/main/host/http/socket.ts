import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { AnswerForm } from '../../../contract/operation.ts';
import { type CallName, OPERATIONS, type OperationName, type StreamName } from '../../../contract/operations.ts';
import type { Logger } from '../../../node/logger.ts';
import { Semaphore } from '../../../node/semaphore.ts';
import { isNestedDeeper } from '../../../shared/json.ts';
import { newId } from '../../../shared/sortable-ids.ts';
import type { Api, CallContext, StreamSink } from '../api/api-types.ts';
import type { Auth, Principal } from '../auth/auth.ts';
import { nestedTooDeeply } from './body.ts';
import { type BotList, botListBytes } from './bot-list.ts';
import { checkOrigin, type GuardOptions } from './check-origin.ts';
import { MAX_WAITING_BYTES } from './event-stream.ts';
import { eventMessage } from './event-text.ts';
import { confirmationOf, identify } from './identify.ts';
import type { RateLimit } from './rate-limit.ts';
import { clientOf, originOf } from './read-login-origin.ts';
import { endWithError, toPlatformError } from './respond.ts';

/** Path of the multiplexed socket (docs/api.md#live). */
export const SOCKET_PATH = '/api/v1/socket';
const MOST_STREAMS = 64;
/** Calls of one page that run at a time; a call counts until its answer has left. The others wait. */
const CALLS_AT_ONCE = 4;
const MOST_WAITING_CALLS = 256;
const MOST_SOCKETS_PER_USER = 64;
/** Longest time that an ended connection waits for answers to earlier calls. */
const LAST_ANSWERS_MS = 5000;
/** Unread refusals that end a connection: the page asks without end and reads nothing. */
const MOST_UNREAD_REFUSALS = 1000;

/**
 * Message of a page: `{id, call, input}` is answered by `{id, result}` or `{id, error}`; `{id, stream, input}` by `{id,
 * cursor}` and then `{id, event, cursor}` until `{id, end}`; `{id, cancel: true}` ends a stream. The page chooses the
 * ids.
 */
const Message = z.union([
  z.strictObject({ id: z.number().int(), call: z.string(), input: z.unknown() }),
  z.strictObject({ id: z.number().int(), stream: z.string(), input: z.unknown() }),
  z.strictObject({ id: z.number().int(), cancel: z.literal(true) }),
]);

interface SocketOptions {
  readonly api: Api;
  readonly auth: Auth;
  readonly logger: Logger;
  readonly limit: RateLimit;
  readonly guard: GuardOptions;
  readonly now: () => number;
}

const isOf = (name: string, kind: 'call' | 'stream'): boolean =>
  Object.hasOwn(OPERATIONS, name) && OPERATIONS[name as OperationName].kind === kind;

/** A log-in over a socket would put the token within reach of the page's scripts: only HTTP sets the cookie. */
const isCall = (name: string): name is CallName =>
  isOf(name, 'call') && OPERATIONS[name as CallName].answer !== 'log_in';

/** One page: its calls and streams over one connection. */
class Connection {
  readonly userId: string;
  /** The role at the start of the connection. */
  readonly #role: Principal['role'];
  readonly #socket: WebSocket;
  /** The connection below the WebSocket. */
  readonly #wire: Duplex;
  readonly #options: SocketOptions;
  readonly #request: IncomingMessage;
  readonly #gone = new AbortController();
  readonly #streams = new Map<number, () => void>();
  readonly #calls = new Semaphore(CALLS_AT_ONCE);
  /** Bytes of answers being sent. The semaphores bound them, so they do not make a stream count as slow. */
  #answering = 0;
  #refusals = 0;
  #ponging = false;
  /** Calls without an answer yet. */
  readonly #asked = new Set<Promise<void>>();
  #isOver = false;
  /** A query waits up to two minutes for a bot; a call that stops the bot must not queue behind it. */
  readonly #queries = new Semaphore(CALLS_AT_ONCE);

  constructor(socket: WebSocket, wire: Duplex, request: IncomingMessage, options: SocketOptions, who: Principal) {
    this.userId = who.userId;
    this.#role = who.role;
    this.#socket = socket;
    this.#wire = wire;
    this.#request = request;
    this.#options = options;
    socket.on('message', (data: RawData, binary: boolean) => this.#receive(data, binary));
    socket.on('ping', (data) => this.#pong(data));
    socket.on('close', () => this.#closed());
    socket.on('error', (error) => options.logger.debug('a socket failed', { error }));
  }

  /** Checks that the peer is still there. */
  keepAlive(): void {
    if (this.checkCredential()) this.#socket.ping();
  }

  /** Ends the connection and returns false when its credential is invalid or has another role now. */
  checkCredential(): boolean {
    if (this.#isOver) return false;
    try {
      const { role } = this.#principal();
      if (role === this.#role) return true;
      // The page reconnects and finds out what it may do now.
      this.#endWith(4403, 'The role has changed');
      return false;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      this.#endWith(4401, error.message);
      return false;
    }
  }

  /** Streams end at once; pending answers still leave, perhaps the one to the change that caused this end. */
  #endWith(code: number, reason: string): void {
    this.#isOver = true;
    this.#endStreams();
    const close = (): void => this.#socket.close(code, reason);
    const late = setTimeout(close, LAST_ANSWERS_MS);
    void Promise.all(this.#asked).then(() => {
      clearTimeout(late);
      close();
    });
  }

  #principal(): Principal {
    const principal = identify(this.#options.auth, this.#request);
    if (principal === null) throw new PlatformError('AUTHENTICATION_REQUIRED');
    return principal;
  }

  #send(message: object): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Sends one message in fragments, so that bytes shared by all readers are written without a copy. */
  #sendParts(head: string, bytes: Buffer, tail: string, sent: () => void): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#wire.cork();
    this.#socket.send(head, { fin: false });
    this.#socket.send(bytes, { binary: false, fin: false });
    this.#socket.send(tail, sent);
    this.#wire.uncork();
  }

  /** Answers, and waits until the answer has left this machine: a page that does not read gets no further ones. */
  #answered(id: number, form: AnswerForm, result: unknown): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve();
    const isList = form === 'bot_list';
    const bytes = isList ? botListBytes(result as BotList) : Buffer.from(JSON.stringify({ id, result }));
    this.#answering += bytes.length;
    return new Promise((resolve) => {
      const sent = (): void => {
        this.#answering -= bytes.length;
        this.#socket.off('close', resolve);
        resolve();
      };
      this.#socket.once('close', resolve);
      if (isList) this.#sendParts(`{"id":${id},"result":`, bytes, '}', sent);
      else this.#socket.send(bytes, { binary: false }, sent);
    });
  }

  #fail(id: number, thrown: unknown): void {
    const error = toPlatformError(thrown);
    if (error.code === 'INTERNAL') this.#options.logger.error('a call over a socket failed', { error: thrown });
    this.#refusals += 1;
    if (this.#refusals > MOST_UNREAD_REFUSALS) {
      this.#socket.terminate();
      return;
    }
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify({ id, error: error.toBody() }), () => {
      this.#refusals -= 1;
    });
  }

  /** One answer at a time: a peer that does not read gets no further ones. */
  #pong(data: Buffer): void {
    if (this.#ponging || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#ponging = true;
    this.#socket.pong(data, undefined, () => {
      this.#ponging = false;
    });
  }

  #receive(data: RawData, binary: boolean): void {
    let message: z.infer<typeof Message>;
    let tooDeep: boolean;
    try {
      const text = binary ? 'null' : data.toString();
      message = Message.parse(JSON.parse(text));
      tooDeep = isNestedDeeper(text, message, LIMITS.requestDepth);
    } catch {
      // A page that speaks another protocol cannot be answered by id.
      this.#socket.close(4400, 'A message is one JSON object with id and call, stream or cancel');
      return;
    }
    const { id } = message;
    if (tooDeep) {
      this.#fail(id, nestedTooDeeply());
      return;
    }
    const asked = this.#answer(message)
      .catch((error: unknown) => this.#fail(id, error))
      .finally(() => this.#asked.delete(asked));
    this.#asked.add(asked);
  }

  async #answer(message: z.infer<typeof Message>): Promise<void> {
    const { id } = message;
    if ('cancel' in message) {
      this.#end(id);
      return;
    }
    const principal = this.#principal();
    const who = principal.keyId ?? principal.userId;
    this.#options.limit.take(who);
    const context: CallContext = {
      principal,
      renew: () => this.#principal(),
      confirmation: confirmationOf(this.#request),
      cameFrom: () => originOf(this.#request),
      client: clientOf(this.#request),
      origin: `${this.#options.guard.secure ? 'https' : 'http'}://${this.#request.headers.host ?? ''}`,
      signal: this.#gone.signal,
      rate: this.#options.limit,
      who,
    };
    if ('call' in message) await this.#call(id, message.call, message.input, context);
    else await this.#stream(id, message.stream, message.input, context);
  }

  async #call(id: number, given: string, input: unknown, context: CallContext): Promise<void> {
    if (!isCall(given)) throw new PlatformError('ROUTE_NOT_FOUND', `There is no operation ${given} to call`);
    const { answer } = OPERATIONS[given];
    const semaphore = answer === 'bot' ? this.#queries : this.#calls;
    if (semaphore.waiting >= MOST_WAITING_CALLS) {
      throw new PlatformError('RATE_LIMITED', 'Too many calls at once', { retryAfter: 1 });
    }
    if (!(await semaphore.take(this.#gone.signal))) return;
    try {
      // The caller's rights may have changed while it waited.
      if (this.#isOver) return;
      const result = await this.#options.api.call(given, input ?? {}, context);
      await this.#answered(id, answer, result);
    } finally {
      semaphore.release();
    }
  }

  async #stream(id: number, name: string, input: unknown, context: CallContext): Promise<void> {
    if (!isOf(name, 'stream')) throw new PlatformError('ROUTE_NOT_FOUND', `There is no stream ${name}`);
    if (this.#streams.has(id)) throw new PlatformError('INVALID_REQUEST', `The id ${id} is in use by a stream`);
    if (this.#streams.size >= MOST_STREAMS) {
      throw new PlatformError('RATE_LIMITED', 'Too many streams at once', { retryAfter: 1 });
    }
    let over = false;
    const finish = (): void => {
      over = true;
    };
    this.#streams.set(id, finish);
    try {
      const end = await this.#options.api.stream(
        name as StreamName,
        input ?? {},
        context,
        this.#sink(id, () => over),
      );
      if (over) end();
      else this.#streams.set(id, end);
    } catch (error) {
      this.#streams.delete(id);
      throw error;
    }
  }

  #sink(id: number, isOver: () => boolean): StreamSink {
    let cursor = '0';
    const gap = (from: string, reason: string): void => {
      this.#send({ id, event: { gap: { from_seq: Number(from), reason } }, cursor: from });
      this.#finish(id);
    };
    return {
      gap,
      start: (startId) => {
        cursor = startId;
        this.#send({ id, cursor });
      },
      push: (eventId, event) => {
        if (isOver()) return false;
        if (this.#socket.bufferedAmount - this.#answering > MAX_WAITING_BYTES) {
          gap(cursor, 'The reader was too slow; read again from here.');
          return false;
        }
        cursor = eventId;
        if (this.#socket.readyState === this.#socket.OPEN) {
          this.#socket.send(eventMessage(id, event, cursor), { binary: false });
        }
        return true;
      },
      end: () => this.#finish(id),
    };
  }

  #finish(id: number): void {
    if (!this.#streams.has(id)) return;
    this.#end(id);
    this.#send({ id, end: true });
  }

  #end(id: number): void {
    const end = this.#streams.get(id);
    this.#streams.delete(id);
    end?.();
  }

  #closed(): void {
    this.#gone.abort();
    this.#endStreams();
  }

  #endStreams(): void {
    for (const id of [...this.#streams.keys()]) this.#end(id);
  }
}

/** The WebSocket of the dashboard: same guards as every request, checked at the upgrade. */
export function createSocketServer(options: SocketOptions) {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.requestBytes,
    perMessageDeflate: false,
    autoPong: false,
  });
  const connections = new Map<WebSocket, Connection>();
  const refuse = (socket: Duplex, thrown: unknown): void => {
    const error = toPlatformError(thrown);
    if (error.code === 'INTERNAL') options.logger.error('an upgrade failed', { error: thrown });
    endWithError(socket, error, newId('req', options.now(), randomBytes(10)));
  };
  return {
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      // Node has removed its own error listener from this socket; without one a peer's reset would end the host.
      const gone = (): void => {
        socket.destroy();
      };
      socket.on('error', gone);
      let who: Principal;
      try {
        checkOrigin(request, options.guard);
        if (request.url?.split('?')[0] !== SOCKET_PATH) throw new PlatformError('ROUTE_NOT_FOUND');
        const principal = identify(options.auth, request);
        if (principal === null) throw new PlatformError('AUTHENTICATION_REQUIRED');
        who = principal;
        const open = [...connections.values()].filter((one) => one.userId === principal.userId).length;
        if (open >= MOST_SOCKETS_PER_USER) {
          throw new PlatformError('RATE_LIMITED', 'Too many sockets are open', {
            hint: 'Close some pages.',
            retryAfter: 10,
          });
        }
      } catch (error) {
        refuse(socket, error);
        return;
      }
      server.handleUpgrade(request, socket, head, (client) => {
        socket.off('error', gone);
        connections.set(client, new Connection(client, socket, request, options, who));
        client.once('close', () => connections.delete(client));
      });
    },
    keepAlive(): void {
      for (const connection of connections.values()) connection.keepAlive();
    },
    checkCredentials(): void {
      for (const connection of connections.values()) connection.checkCredential();
    },
    close(): void {
      for (const client of connections.keys()) client.close(1001, 'The host is stopping');
    },
  };
}
