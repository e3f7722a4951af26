/** One server-sent event. `id` is the last id the stream gave, '' before the first. */
export interface SseEvent {
  readonly id: string;
  /** `message` where the stream named none. */
  readonly event: string;
  readonly data: string;
}

export interface SseParser {
  /** Takes the next piece of decoded text, cut anywhere. Throws when a line or event grows over the limit. */
  push(text: string): void;
  /** Cursor for resuming: the last id of the stream, also of an event without data; '' before the first. */
  readonly lastId: string;
}

export interface SseParserOptions {
  /** Called when the stream sets the time to wait before reconnecting, in milliseconds. */
  readonly onRetry?: (ms: number) => void;
  /** Most characters of one event; default 16 Mi. */
  readonly maxChars?: number;
}

const MAX_CHARS = 16 * 1024 * 1024;
const LINE_END = /\r\n|\n|\r/;
const LINE_ENDS = /\r\n|\n|\r/g;

class EventBuilder {
  readonly #onEvent: (event: SseEvent) => void;
  readonly #onRetry: ((ms: number) => void) | undefined;
  readonly #maxChars: number;
  lastId = '';
  #id = '';
  #event = '';
  #data: string[] = [];
  #size = 0;

  constructor(onEvent: (event: SseEvent) => void, options: SseParserOptions, maxChars: number) {
    this.#onEvent = onEvent;
    this.#onRetry = options.onRetry;
    this.#maxChars = maxChars;
  }

  line(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#append(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,12}$/.test(value)) this.#onRetry?.(Number(value));
  }

  #append(value: string): void {
    this.#size += value.length + 1;
    if (this.#size > this.#maxChars) throw tooLong(this.#maxChars);
    this.#data.push(value);
  }

  #dispatch(): void {
    const data = this.#data;
    const event = this.#event === '' ? 'message' : this.#event;
    this.#data = [];
    this.#event = '';
    this.#size = 0;
    this.lastId = this.#id;
    if (data.length > 0) this.#onEvent({ id: this.#id, event, data: data.join('\n') });
  }
}

function tooLong(maxChars: number): RangeError {
  return new RangeError(`The event stream sent an event of more than ${maxChars} characters; close it and reconnect.`);
}

/**
 * Reads a server-sent event stream piece by piece (HTML standard, "Server-sent events"): any line ends, a byte order mark,
 * comments, data of several lines, ids that stay. An event that is cut off by the end of the stream is dropped.
 */
export function createSseParser(onEvent: (event: SseEvent) => void, options: SseParserOptions = {}): SseParser {
  const maxChars = options.maxChars ?? MAX_CHARS;
  const builder = new EventBuilder(onEvent, options, maxChars);
  let started = false;
  let afterReturn = false;
  let partial: string[] = [];
  let partialSize = 0;

  const keep = (text: string): void => {
    partialSize += text.length;
    if (partialSize > maxChars) throw tooLong(maxChars);
    if (text !== '') partial.push(text);
  };

  return {
    get lastId() {
      return builder.lastId;
    },
    push(piece) {
      let text = piece;
      if (text === '') return;
      if (!started) text = text.replace(/^\uFEFF/, '');
      started = true;
      if (afterReturn && text.startsWith('\n')) text = text.slice(1);
      if (text !== '') afterReturn = text.endsWith('\r');
      else afterReturn = false;
      const lines = text.split(LINE_END);
      const last = lines.pop() ?? '';
      for (const line of lines) {
        keep(line);
        const whole = partial.length === 1 ? (partial[0] ?? '') : partial.join('');
        partial = [];
        partialSize = 0;
        builder.line(whole);
      }
      keep(last);
    },
  };
}

/** An event as stream text. Throws RangeError when `id` or `event` holds a line end or NUL, which the format cannot carry. */
export function formatSse(event: { readonly id?: string; readonly event?: string; readonly data: string }): string {
  let text = '';
  for (const field of ['id', 'event'] as const) {
    const value = event[field];
    if (value === undefined) continue;
    if (/[\r\n\0]/.test(value)) throw new RangeError(`The ${field} of an event must be one line without NUL`);
    text += `${field}: ${value}\n`;
  }
  return `${text}data: ${event.data.replaceAll(LINE_ENDS, '\ndata: ')}\n\n`;
}
