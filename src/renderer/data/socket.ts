import type { ErrorBody } from '../../contract/errors.ts';
import type { CallName, Input, Output, StreamName } from '../../contract/operations.ts';
import { HostError } from './host-error.ts';

/** How the page stands with its host. `refused`: the host is there and does not let this page in. */
export type Link = 'connecting' | 'open' | 'lost' | 'refused';

/** A stream that goes on by itself after a lost connection; call `cancel` when nobody looks any more. */
export interface Subscription {
  cancel(): void;
}

export interface StreamHandlers<N extends StreamName> {
  readonly event: (event: Output<N>) => void;
  /** The host has ended it, or will not give it. */
  readonly end?: (error: HostError | null) => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Stream {
  readonly name: string;
  readonly input: object;
  readonly handlers: StreamHandlers<StreamName>;
  /** What to read on after; null until the host has said it. */
  cursor: string | null;
  /** The host has cut this page off because it was too slow: it reads on after this. */
  gap: number | null;
}

interface Message {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: ErrorBody;
  readonly event?: unknown;
  readonly cursor?: string;
  readonly end?: boolean;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
/** The host's answer to a page that is not logged in, or no longer. */
const REFUSED = 4401;

/** The one connection of a page to its host: calls, and streams that miss nothing while it is lost. */
export class HostSocket {
  readonly #url: string;
  readonly #calls = new Map<number, Waiting>();
  readonly #streams = new Map<number, Stream>();
  readonly #listeners = new Set<(link: Link) => void>();
  #socket: WebSocket | null = null;
  #link: Link = 'connecting';
  #lastId = 0;
  #wait = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #queue: string[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  get link(): Link {
    return this.#link;
  }

  onLink(listener: (link: Link) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Begins to connect, and stays at it. */
  open(): void {
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener('open', () => this.#opened(socket));
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    socket.addEventListener('close', ({ code }) => this.#closed(socket, code));
  }

  /** Calls an operation. While the connection is lost the call waits for it; it rejects with a HostError. */
  call<N extends CallName>(name: N, input: Input<N>): Promise<Output<N>> {
    const id = this.#nextId();
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve: (result) => resolve(result as Output<N>), reject });
      this.#send({ id, call: name, input });
    });
  }

  /** Follows a stream from `input` on. */
  stream<N extends StreamName>(name: N, input: Input<N>, handlers: StreamHandlers<N>): Subscription {
    const id = this.#nextId();
    this.#streams.set(id, {
      name,
      input,
      handlers: handlers as unknown as StreamHandlers<StreamName>,
      cursor: null,
      gap: null,
    });
    if (this.#link === 'open') this.#send({ id, stream: name, input });
    return {
      cancel: () => {
        if (this.#streams.delete(id) && this.#link === 'open') this.#send({ id, cancel: true });
      },
    };
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #send(message: object): void {
    const text = JSON.stringify(message);
    if (this.#link === 'open') this.#socket?.send(text);
    else this.#queue.push(text);
  }

  #set(link: Link): void {
    if (link === this.#link) return;
    this.#link = link;
    for (const listener of this.#listeners) listener(link);
  }

  #opened(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#wait = FIRST_WAIT_MS;
    const queue = this.#queue;
    this.#queue = [];
    this.#set('open');
    for (const text of queue) socket.send(text);
    for (const [id, stream] of this.#streams) {
      const { name, input, cursor } = stream;
      // The end that a gap announced was lost with the connection; the next end is another one.
      stream.gap = null;
      const resumed = cursor === null ? input : { ...input, tail: undefined, after: Number(cursor) };
      this.#send({ id, stream: name, input: resumed });
    }
  }

  #closed(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return;
    const wasOpen = this.#link === 'open';
    // What was on its way may have been done or not: only the caller knows whether to ask again.
    if (wasOpen) for (const [id, { reject }] of this.#calls) this.#settle(id, () => reject(HostError.lost()));
    this.#set(code === REFUSED ? 'refused' : 'lost');
    this.#timer = setTimeout(() => this.open(), this.#wait);
    this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
  }

  #settle(id: number, how: () => void): void {
    this.#calls.delete(id);
    how();
  }

  #receive(text: string): void {
    const message: Message = JSON.parse(text);
    const call = this.#calls.get(message.id);
    if (call !== undefined) {
      const { error } = message;
      this.#settle(message.id, () =>
        error === undefined ? call.resolve(message.result) : call.reject(new HostError(error)),
      );
      return;
    }
    const stream = this.#streams.get(message.id);
    if (stream !== undefined) this.#follow(message, stream);
  }

  #follow(message: Message, stream: Stream): void {
    if (message.cursor !== undefined) stream.cursor = message.cursor;
    if (message.event !== undefined) {
      if (isGap(message.event)) stream.gap = message.event.gap.from_seq;
      else stream.handlers.event(message.event as Output<StreamName>);
    }
    if (message.end === true && stream.gap !== null) {
      const after = stream.gap;
      stream.gap = null;
      this.#send({ id: message.id, stream: stream.name, input: { ...stream.input, tail: undefined, after } });
      return;
    }
    if (message.error === undefined && message.end !== true) return;
    this.#streams.delete(message.id);
    stream.handlers.end?.(message.error === undefined ? null : new HostError(message.error));
  }
}

function isGap(event: unknown): event is { gap: { from_seq: number } } {
  return typeof event === 'object' && event !== null && 'gap' in event;
}
