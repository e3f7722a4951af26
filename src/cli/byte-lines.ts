/** Receives each line without its end, or a notice of one that is too long. */
export interface LineHandler {
  line(text: string): void;
  tooLong(): void;
}

const LINE_FEED = 0x0a;

/**
 * Cuts a stream of bytes into lines of UTF-8 text, of at most `maxBytes` each: a longer line is dropped, and the lines after it
 * come as usual.
 */
export class ByteLines {
  readonly #handler: LineHandler;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #size = 0;
  #dropping = false;

  constructor(handler: LineHandler, maxBytes: number) {
    this.#handler = handler;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** The stream ended: what stands after the last line end is a line, too. */
  end(): void {
    if (this.#size > 0 || this.#dropping) this.#finish();
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#maxBytes) this.#dropping = true;
    if (this.#dropping) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #finish(): void {
    const parts = this.#parts;
    const dropped = this.#dropping;
    this.#parts = [];
    this.#size = 0;
    this.#dropping = false;
    if (dropped) this.#handler.tooLong();
    else this.#handler.line(Buffer.concat(parts).toString('utf8'));
  }
}
