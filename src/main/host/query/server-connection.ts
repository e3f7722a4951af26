import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type HttpResponse, ResponseReader } from './response-reader.ts';

/** How one request on a connection ended. */
export type Exchange =
  | { readonly response: HttpResponse }
  | {
      readonly error: Error;
      /** The reader of what had arrived, which may be whole all the same. */
      readonly read: ResponseReader;
    };

/** After this time without a request a connection is closed. */
const IDLE_MS = 15_000;
const CLOSED = 'the connection was closed without a whole answer';

/** A connection to a bot's query server, for one request at a time. */
export class QueryConnection {
  readonly #stream: Duplex;
  readonly #onGone: (connection: QueryConnection) => void;
  #reader: ResponseReader | null = null;
  #done: ((exchange: Exchange) => void) | null = null;
  #used = false;

  /** `onGone` is called when the connection has ended, once or more. */
  constructor(stream: Duplex, onGone: (connection: QueryConnection) => void) {
    this.#stream = stream;
    this.#onGone = onGone;
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('error', (error: Error) => this.abort(error));
    stream.on('end', () => this.#end());
    stream.on('close', () => this.abort(new Error(CLOSED)));
    stream.on('timeout', () => this.abort(new Error(CLOSED)));
  }

  /** True for a connection that has carried a request before: its server may have just closed it. */
  get isUsed(): boolean {
    return this.#used;
  }

  /** Sends a request and reads its response. `maxBytes`: the largest body. */
  exchange(request: string, maxBytes: number): Promise<Exchange> {
    return new Promise((done) => {
      this.#reader = new ResponseReader(maxBytes);
      this.#done = done;
      this.#used = true;
      this.#closeWhenIdleFor(0);
      // A stream that has ended tells of it no more.
      if (this.#stream.destroyed) this.abort(new Error(CLOSED));
      else this.#stream.write(request);
    });
  }

  /** Ends the connection, and with this error the request that is under way. */
  abort(error: Error): void {
    if (this.#reader !== null) this.#finish({ error, read: this.#reader });
    this.#stream.destroy();
    this.#onGone(this);
  }

  /**
   * Leaves the connection open for the next request if it may be kept, and returns whether it did. Streams other than
   * sockets are opened for each request.
   */
  rest(keep: boolean): boolean {
    const isFree = !this.#stream.destroyed && this.#stream.writableLength === 0;
    const stays = keep && isFree && this.#stream instanceof Socket;
    if (stays) this.#closeWhenIdleFor(IDLE_MS);
    else this.#stream.destroy();
    return stays;
  }

  /** 0: never. */
  #closeWhenIdleFor(ms: number): void {
    if (this.#stream instanceof Socket) this.#stream.setTimeout(ms);
  }

  #take(chunk: Buffer): void {
    if (this.#reader === null) {
      // The next request would take these bytes for its answer.
      this.abort(new Error('it sent an answer without a request'));
      return;
    }
    try {
      const response = this.#reader.take(chunk);
      if (response !== null) this.#finish({ response });
    } catch (error) {
      this.abort(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #end(): void {
    const response = this.#reader?.end() ?? null;
    if (response === null) this.abort(new Error(CLOSED));
    else this.#finish({ response });
  }

  #finish(exchange: Exchange): void {
    const done = this.#done;
    this.#reader = null;
    this.#done = null;
    done?.(exchange);
  }
}
