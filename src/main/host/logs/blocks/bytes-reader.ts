import { damage } from '../../../../node/storage-error.ts';
import { MOST_ROWS } from './block-head.ts';

/** Reads what BytesWriter wrote. Throws damage for bytes that it cannot have written. */
export class BytesReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Number of bytes that are left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  number(): number {
    const bytes = this.#bytes;
    const first = bytes[this.#at];
    if (first !== undefined && first < 128) {
      this.#at++;
      return first;
    }
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count++) {
      const byte = bytes[this.#at];
      if (byte === undefined) break;
      this.#at++;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    throw damage('a number in a block is cut short');
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  double(): number {
    return this.bytes(8).readDoubleLE(0);
  }

  /** Returns the next bytes as a view. */
  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw damage('a block is cut short');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** Returns a count of rows; never more than a block has, so that no memory is taken for rows that are not there. */
  count(leastBytes: number): number {
    const count = this.number();
    if (count > MOST_ROWS || count * leastBytes > this.left) throw damage('a block names more rows than it holds');
    return count;
  }
}
