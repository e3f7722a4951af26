import { isAscii } from 'node:buffer';

/** Bytes that are decoded at once: characters of several bytes make only lines near them slower to read. */
const WINDOW = 8 * 1024;

/** Text of bytes, read from front to back. Where every byte is one character, a line is cut out of text that is decoded. */
export class ChunkDecoder {
  readonly #bytes: Buffer;
  readonly #length: number;
  #from = 0;
  #to = 0;
  #ascii: string | null = null;

  constructor(bytes: Buffer, length: number) {
    this.#bytes = bytes;
    this.#length = length;
  }

  slice(start: number, end: number): string {
    if (start < this.#from || end > this.#to) this.#decode(start, end);
    if (this.#ascii === null) return this.#bytes.toString('utf8', start, end);
    return this.#ascii.slice(start - this.#from, end - this.#from);
  }

  #decode(start: number, end: number): void {
    this.#from = start;
    this.#to = Math.max(end, Math.min(this.#length, start + WINDOW));
    const window = this.#bytes.subarray(this.#from, this.#to);
    this.#ascii = isAscii(window) ? window.toString('latin1') : null;
  }
}
