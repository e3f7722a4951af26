import type { ErrorBody } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { CallName, ChangeName, Input, Output, ReadName, StreamName } from '../../contract/operations.ts';
import { neededPin } from '../../shared/needed-pin.ts';
import { HostError } from './host-error.ts';
import { askPin } from './pin-question.ts';

/** Reason for closing this page for good: its session has ended, or has another role or user now. */
export type Ending = 'ended' | 'changed';

/** State of the connection between the page and its host. `refused`: the host is there and does not let this page in. */
export type Link = 'connecting' | 'open' | 'lost' | 'refused' | Ending;

/** A stream that resumes after a lost connection; call `cancel` when it is no longer needed. */
export interface Subscription {
  cancel(): void;
}

export interface StreamHandlers<N extends StreamName> {
  readonly event: (event: Output<N>) => void;
  /** Called when the host has ended the stream, or refuses it. */
  readonly end?: (error: HostError | null) => void;
}

type AskPin = (isChosen: boolean) => Promise<boolean>;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A call that waits for the connection. */
interface Queued {
  readonly text: string;
  readonly read: boolean;
  readonly expiry: ReturnType<typeof setTimeout>;
}

interface Stream {
  readonly name: string;
  readonly input: object;
  readonly handlers: StreamHandlers<StreamName>;
  /** Position after which the stream resumes; null until the host has sent one. */
  cursor: string | null;
  /** Seq after which the stream resumes, set when the host has cut this page off because it was too slow. */
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
/** Most reads that wait for the connection; beyond that the oldest are given up. */
const MOST_QUEUED = 200;
const QUEUED_MS = 30_000;
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
  readonly #queue = new Map<number, Queued>();
  #isClosed = false;
  readonly #askPin: AskPin;

  /** `askPin` has the person enter or choose a PIN, and says whether that was done. */
  constructor(url: string, askPin: AskPin = async () => false) {
    this.#url = url;
    this.#askPin = askPin;
  }

  get link(): Link {
    return this.#link;
  }

  /** True once this page has closed the connection, for good. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  onLink(listener: (link: Link) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Begins to connect, and keeps trying; an attempt before this one ends. */
  open(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const before = this.#socket;
    if (before !== null) {
      this.#socket = null;
      before.close();
      // The page ignores the close event of the old socket, so it reports the loss here.
      if (this.#link === 'open') this.#lost('lost');
    }
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener('open', () => this.#opened(socket));
    socket.addEventListener('message', ({ data }) => socket === this.#socket && this.#receive(String(data)));
    socket.addEventListener('close', ({ code }) => this.#closed(socket, code));
  }

  /** Ends the connection for good: no reconnection, and waiting callers get an error. */
  close(why: Ending = 'ended'): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    this.#set(why);
    this.#listeners.clear();
    this.#streams.clear();
    socket?.close();
    for (const id of [...this.#queue.keys()]) this.#giveUp(id);
    this.#rejectSent();
  }

  /** Calls an operation that changes nothing; it rejects with a HostError. It waits a while for a connection that is lost. */
  read<N extends ReadName>(name: N, input: Input<N>): Promise<Output<N>> {
    return this.#ask(name, input, true);
  }

  /**
   * Calls an operation with an effect. It rejects with a HostError, at once while the connection is lost: a change that
   * its user has given up must not happen a minute later. One that needs a PIN has the person asked, and goes on;
   * what enters or chooses a PIN must not wait for one.
   */
  async call<N extends ChangeName>(name: N, input: Input<N>, { mayAskPin = true } = {}): Promise<Output<N>> {
    try {
      return await this.#ask(name, input, false);
    } catch (error) {
      const needed = error instanceof HostError ? neededPin(error) : null;
      if (needed === null || !mayAskPin || !(await this.#askPin(needed.isChosen))) throw error;
      return await this.#ask(name, input, false);
    }
  }

  #ask<N extends CallName>(name: N, input: Input<N>, read: boolean): Promise<Output<N>> {
    const id = this.#nextId();
    return new Promise((resolve, reject) => {
      if (this.#isClosed || (!read && this.#link !== 'open' && this.#link !== 'connecting')) {
        reject(HostError.away());
        return;
      }
      const text = JSON.stringify({ id, call: name, input });
      if (isTooLarge(text)) {
        reject(HostError.tooLarge());
        return;
      }
      this.#calls.set(id, { resolve: (result) => resolve(result as Output<N>), reject });
      if (this.#link === 'open') this.#socket?.send(text);
      else this.#enqueue(id, text, read);
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
    this.#socket?.send(JSON.stringify(message));
  }

  #enqueue(id: number, text: string, read: boolean): void {
    const [oldest] = this.#queue.keys();
    if (oldest !== undefined && this.#queue.size >= MOST_QUEUED) this.#giveUp(oldest);
    this.#queue.set(id, { text, read, expiry: setTimeout(() => this.#giveUp(id), QUEUED_MS) });
  }

  /** Ends the wait of a call that was never sent. */
  #giveUp(id: number): void {
    clearTimeout(this.#queue.get(id)?.expiry);
    this.#queue.delete(id);
    this.#calls.get(id)?.reject(HostError.away());
    this.#calls.delete(id);
  }

  /** A sent call may have taken effect or not: only the caller knows whether to repeat it. */
  #rejectSent(): void {
    for (const [id, { reject }] of this.#calls) {
      if (!this.#queue.has(id)) this.#settle(id, () => reject(HostError.lost()));
    }
  }

  #set(link: Link): void {
    if (link === this.#link) return;
    this.#link = link;
    for (const listener of this.#listeners) listener(link);
  }

  #opened(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#wait = FIRST_WAIT_MS;
    // Streams first: what happens after a read is then not missed.
    for (const [id, stream] of this.#streams) {
      const { name, input, cursor } = stream;
      // The end that a gap announced was lost with the connection; the next end is another one.
      stream.gap = null;
      const resumed = cursor === null ? input : { ...input, tail: undefined, after: Number(cursor) };
      this.#send({ id, stream: name, input: resumed });
    }
    for (const { text, expiry } of this.#queue.values()) {
      clearTimeout(expiry);
      socket.send(text);
    }
    this.#queue.clear();
    this.#set('open');
  }

  #closed(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#timer = setTimeout(() => this.open(), this.#wait);
    this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
    this.#lost(code === REFUSED ? 'refused' : 'lost');
  }

  #lost(link: 'lost' | 'refused'): void {
    this.#rejectSent();
    for (const [id, { read }] of [...this.#queue]) if (!read) this.#giveUp(id);
    this.#set(link);
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

/** True for a message that is too large: the host hangs up on a page that sends one. */
function isTooLarge(text: string): boolean {
  // No letter takes more than three bytes for each of its units: for most messages the size is clear without encoding them.
  return text.length * 3 > LIMITS.requestBytes && new TextEncoder().encode(text).length > LIMITS.requestBytes;
}

function isGap(event: unknown): event is { gap: { from_seq: number } } {
  return typeof event === 'object' && event !== null && 'gap' in event;
}

/** Begins to connect to the host that this page comes from. */
export function connect(): HostSocket {
  const { protocol, host } = window.location;
  const socket = new HostSocket(`${protocol === 'https:' ? 'wss:' : 'ws:'}//${host}/api/v1/socket`, askPin);
  socket.open();
  return socket;
}
