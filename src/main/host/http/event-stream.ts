import type { ServerResponse } from 'node:http';
import { formatSse } from '../../../shared/sse.ts';
import type { StreamSink } from '../api/api-types.ts';
import { eventSse } from './event-text.ts';
import { SAFE_HEADERS } from './respond.ts';

/** Bytes that may wait for a slow reader before it is cut off: one reader must not fill the host's memory. */
export const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Time for a reader that was cut off to take the rest. */
const DRAIN_MS = 10_000;

/** A stream as server-sent events. Headers go out with the first event or `open`. */
export class EventStream implements StreamSink {
  readonly #response: ServerResponse;
  readonly #requestId: string;
  #lastId = '0';
  #ended = false;

  constructor(response: ServerResponse, requestId: string) {
    this.#response = response;
    this.#requestId = requestId;
  }

  /** An id without data: a reader that loses the connection before the first event knows what to resume after. */
  start(id: string): void {
    this.#lastId = id;
    this.open();
    this.#response.write(`id: ${id}\n\n`);
  }

  /** Sends the headers, so that the reader knows it is connected before anything happens. */
  open(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, {
      ...SAFE_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      'x-request-id': this.#requestId,
    });
    this.#response.write('retry: 1000\n\n');
  }

  push(id: string, event: unknown): boolean {
    if (this.#ended) return false;
    this.open();
    if (this.#response.writableLength > MAX_WAITING_BYTES) {
      this.#cutOff();
      return false;
    }
    this.#lastId = id;
    this.#response.write(eventSse(id, event));
    return true;
  }

  keepAlive(): void {
    if (!this.#ended) this.#response.write(': keep-alive\n\n');
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.open();
    this.#response.end();
  }

  gap(id: string, reason: string): void {
    if (this.#ended) return;
    this.open();
    const gap = { gap: { from_seq: Number(id), reason } };
    this.#response.write(formatSse({ id, event: 'gap', data: JSON.stringify(gap) }));
    this.end();
  }

  /** Tells the reader where to resume, and stops sending. */
  #cutOff(): void {
    this.gap(this.#lastId, 'The reader was too slow; read again from here.');
    setTimeout(() => this.#response.destroy(), DRAIN_MS).unref();
  }
}
