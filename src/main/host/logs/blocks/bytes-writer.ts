const LEAST = 4096;

/** Returns the number from 0 on that stands for one of either sign: small ones stay small. */
export const unsigned = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2);

/**
 * Bytes that grow as they are written. Numbers take as many as they need: seven bits a byte, the low ones first, so that the
 * small differences of which a block consists take one.
 */
export class BytesWriter {
  #bytes = Buffer.allocUnsafeSlow(LEAST);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Bytes of memory that it holds. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** Forgets what was written and keeps the memory. */
  clear(): void {
    this.#size = 0;
  }

  /** Writes a whole number from 0 to 2^53 - 1. @throws RangeError for another one, which could not be read again */
  number(value: number): void {
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`${value} cannot be stored in a block`);
    this.#reserve(8);
    const bytes = this.#bytes;
    let at = this.#size;
    let left = value;
    while (left >= 0x8000_0000) {
      bytes[at++] = (left % 128) | 128;
      left = Math.floor(left / 128);
    }
    while (left > 127) {
      bytes[at++] = (left & 127) | 128;
      left >>>= 7;
    }
    bytes[at++] = left;
    this.#size = at;
  }

  /** Writes numbers one after another, as `number` does. */
  numbers(values: Float64Array): void {
    this.#reserve(8 * values.length);
    const bytes = this.#bytes;
    let at = this.#size;
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      if (value >= 0 && value < 128 && Number.isInteger(value)) bytes[at++] = value;
      else {
        this.#size = at;
        this.number(value);
        at = this.#size;
      }
    }
    this.#size = at;
  }

  /** Writes a whole number from -2^52 to 2^52 - 1; small ones of either sign take few bytes. */
  signed(value: number): void {
    this.number(unsigned(value));
  }

  double(value: number): void {
    this.#reserve(8);
    this.#size = this.#bytes.writeDoubleLE(value, this.#size);
  }

  bytes(from: Uint8Array): void {
    this.#reserve(from.length);
    this.#bytes.set(from, this.#size);
    this.#size += from.length;
  }

  /** Writes text as UTF-8; returns the number of its bytes. */
  text(text: string): number {
    this.#reserve(text.length * 3);
    const written = this.#bytes.write(text, this.#size, 'utf8');
    this.#size += written;
    return written;
  }

  /** Returns what was written, valid until the next write. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#bytes.length) return;
    const next = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#size + more));
    this.#bytes.copy(next, 0, 0, this.#size);
    this.#bytes = next;
  }
}
