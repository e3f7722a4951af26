import { crc32 } from 'node:zlib';

/**
 * Bits of a filter. A block of ordinary lines sets nearly half of them: a text of ten characters that is not there then passes one
 * filter in five hundred.
 */
const BITS = 1 << 14;
const HASH_SHIFT = 32 - 14;
const MIX = 0x9e3779b1;
/** Characters of a gram. */
const LENGTH = 3;
const SUM_BYTES = 4;

const FOLD = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte));

/** A byte for each bit while a filter is made. */
const marks = new Uint8Array(BITS);

/** The bits of a filter belong to the block that begins with this seq. */
const sumOf = (filter: Uint8Array, first: number): number => crc32(filter.subarray(0, BITS / 8), crc32(String(first)));

/** Returns the filter of a block's text: a bit for each three bytes in it, whatever their case, and a checksum. */
export function gramsOf(text: Uint8Array, first: number): Buffer {
  marks.fill(0);
  let gram = 0;
  for (let at = 0; at < text.length; at++) {
    gram = ((gram << 8) | (FOLD[text[at] as number] as number)) & 0xffffff;
    marks[Math.imul(gram, MIX) >>> HASH_SHIFT] = 1;
  }
  const filter = Buffer.alloc(BITS / 8 + SUM_BYTES);
  for (let bit = 0; bit < BITS; bit++) {
    if (marks[bit] === 1) filter[bit >>> 3] = (filter[bit >>> 3] as number) | (1 << (bit & 7));
  }
  filter.writeUInt32LE(sumOf(filter, first), BITS / 8);
  return filter;
}

/** Which blocks may hold a text, by their filters. */
export class GramFilter {
  readonly #bits: readonly number[];

  /** `text` is ASCII; none shorter than a gram keeps anything out. */
  constructor(text: string) {
    const bytes = Buffer.from(text.toLowerCase(), 'latin1');
    this.#bits = Array.from({ length: Math.max(0, bytes.length - LENGTH + 1) }, (_, at) => {
      return Math.imul(bytes.readUIntBE(at, LENGTH), MIX) >>> HASH_SHIFT;
    });
  }

  /** False if no filter can keep a block out. */
  get asks(): boolean {
    return this.#bits.length > 0;
  }

  /** False if the text is certainly not there; a filter that is missing or damaged keeps nothing out. */
  mayHold(filter: unknown, first: number): boolean {
    if (!Buffer.isBuffer(filter) || filter.length !== BITS / 8 + SUM_BYTES) return true;
    if (sumOf(filter, first) !== filter.readUInt32LE(BITS / 8)) return true;
    return this.#bits.every((bit) => ((filter[bit >>> 3] as number) & (1 << (bit & 7))) !== 0);
  }
}
