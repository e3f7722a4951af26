import {
  BACKSLASH,
  isAlnum,
  isColourBehindWord,
  isInside,
  isJsonEscape,
  isSignAt,
  MAY_BE_SIGN,
  WIDE,
} from './disguise-signs.ts';
import { headAt, type OnWord, type WordIndex } from './word-index.ts';

const NEWLINE = 10;
/** Masks for four bytes: the high bits, and the bits that fold the case of letters, and of some other bytes. */
const HIGH = 0x80808080;
const FIRST = 0x80;
const CASES = 0x20202020;
const CASE = 0x20;
/** Subtracting these sets the high bit of bytes that became 0 (backslashes), or a number under 4 (one of `$%&'`). */
const ONES = 0x01010101;
const FOURS = 0x04040404;
const NEWLINES = 0x0a0a0a0a;
const BACKSLASHES = 0x5c5c5c5c;
const DOLLARS = 0x24242424;

const MIX = 0xc2b2ae35;
/** Returns 17 bits of a hash that distinguish heads whose other bits are equal. */
const otherHash = (hash: number): number => (hash ^ (hash >>> 15)) & 0x1ffff;
const withFifth = (hash: number, fifth: number): number => Math.imul(hash + (fifth | CASE), MIX);

/** Returns the same bytes in fours, from the last multiple of four before them on. */
export function foursOf(buf: Uint8Array): Int32Array {
  const start = buf.byteOffset & ~3;
  return new Int32Array(buf.buffer, start, (buf.byteOffset + buf.byteLength - start) >> 2);
}

/** Signs that a keyword automaton searches for: none, those beside ASCII letters, or all. */
export type Signs = 'none' | 'in words' | 'all';

/** Bytes at which a keyword automaton stops: 1 for line ends, 2 for a possible sign, 3 for a sign. */
const ENDS = Uint8Array.from({ length: 256 }, (_, byte) => (byte === NEWLINE ? 1 : 0));
const STOPS: Readonly<Record<Signs, Uint8Array>> = {
  none: ENDS,
  'in words': ENDS.map((end, byte) => (MAY_BE_SIGN[byte] === 1 ? 2 : end)),
  all: ENDS.map((end, byte) => (MAY_BE_SIGN[byte] === 1 || byte > 127 ? 3 : end)),
};

/** True if a line end or a sign stands at a place. Most possible signs are none, because of the bytes beside them. */
function isStop(stops: Uint8Array, buf: Uint8Array, at: number): boolean {
  const byte = buf[at] as number;
  const stop = stops[byte] as number;
  if (stop !== 2) return stop !== 0;
  if (byte === BACKSLASH) return !isJsonEscape(buf[at + 1]) && isSignAt(buf, at);
  if (byte < 32 ? !isInside(buf[at - 1]) : byte > 127 && byte < WIDE && !isAlnum(buf[at - 1])) return false;
  return !isColourBehindWord(buf, at) && isSignAt(buf, at);
}

/**
 * Searches for any number of words in one pass over bytes; A to Z and a to z count as the same. It reads four bytes at a time,
 * and a filter finds the places where a word may begin. With `signs` it also searches for signs that a text may look different
 * from what is written (unescaped-text.ts).
 */
export class KeywordAutomaton {
  readonly #indexes: readonly WordIndex[];
  readonly #signs: boolean;
  readonly #stops: Uint8Array;
  /** A bit for each head by 20 bits of its hash; 20 values set one bit in 200. */
  readonly #filter = new Int32Array(1 << 15);
  /** The same by other bits of the head, with the byte behind the head if the word has one. */
  readonly #second = new Int32Array(1 << 12);

  /** Numbers the words through all indexes, in order. */
  constructor(indexes: readonly WordIndex[], signs: Signs = 'none') {
    this.#indexes = indexes;
    this.#signs = signs !== 'none';
    this.#stops = STOPS[signs];
    for (const index of indexes) {
      index.eachHead((head, fifth) => {
        if (head >>> 24 !== 0) this.#pass(head, fifth);
        // Any byte may follow a word of three.
        else for (let byte = 1; byte < 256; byte++) this.#pass(head | (byte << 24), null);
      });
    }
  }

  #pass(head: number, fifth: number | null): void {
    const hash = Math.imul(head | CASES, MIX);
    const other = otherHash(fifth === null ? hash : withFifth(hash, fifth));
    this.#filter[hash >>> 17] = (this.#filter[hash >>> 17] ?? 0) | (1 << (hash >>> 12));
    this.#second[other >>> 5] = (this.#second[other >>> 5] ?? 0) | (1 << other);
  }

  /**
   * True if a place that passes the first filter also passes the second one; `shift` is the number of bits behind the
   * first of eight bytes.
   */
  #passes(low: number, high: number, shift: number): boolean {
    const hash = Math.imul(shift === 0 ? low : (low >>> shift) | (high << (32 - shift)), MIX);
    const second = this.#second;
    const alone = otherHash(hash);
    const longer = otherHash(withFifth(hash, (high >>> shift) & 255));
    return ((((second[alone >>> 5] as number) >>> alone) | ((second[longer >>> 5] as number) >>> longer)) & 1) !== 0;
  }

  /**
   * Returns the first place of `buf[from, …)` at which a word may begin, or a line end or a sign stands; its bytes are
   * those of `fours` from the place `origin` on. Where those end, every place counts; `to` is where to stop.
   */
  #next(buf: Uint8Array, fours: Int32Array, origin: number, from: number, to: number): number {
    const at = from + origin;
    const end = to + origin;
    const filter = this.#filter;
    const stops = this.#stops;
    const signs = this.#signs;
    const last = Math.min(fours.length - 1, (end + 3) >> 2);
    let i = at >> 2;
    if (i >= last) return from;
    let skip = at & 3;
    let low = fours[i] as number;
    let folded = low | CASES;
    // The byte before, with its high bit.
    let before = 0;
    for (; i < last; i++) {
      const high = fours[i + 1] as number;
      const further = high | CASES;
      const a = Math.imul(folded, MIX);
      const b = Math.imul((folded >>> 8) | (further << 24), MIX);
      const c = Math.imul((folded >>> 16) | (further << 16), MIX);
      const d = Math.imul((folded >>> 24) | (further << 8), MIX);
      const inA = (filter[a >>> 17] as number) >>> (a >>> 12);
      const inB = (filter[b >>> 17] as number) >>> (b >>> 12);
      const inC = (filter[c >>> 17] as number) >>> (c >>> 12);
      const inD = (filter[d >>> 17] as number) >>> (d >>> 12);
      let stop = signs
        ? (low - CASES) | ((low ^ BACKSLASHES) - ONES) | ((low ^ DOLLARS) - FOURS) | low
        : ((low ^ NEWLINES) - ONES) & ~low;
      // Of adjacent characters of several bytes only the first one may be a sign.
      if ((low & HIGH) !== 0 && signs) stop = (stop & ~low) | (low & ~((low << 8) | before));
      before = low >>> 24;
      if ((((inA | inB | inC | inD) & 1) | (stop & HIGH)) !== 0) {
        const here = (i << 2) - origin;
        const words = ((inA & 1) << 7) | ((inB & 1) << 15) | ((inC & 1) << 23) | (inD << 31);
        let places = ((stop & HIGH) | words) & (-1 << (skip << 3));
        for (; places !== 0; places &= places - 1) {
          const shift = (31 - Math.clz32(places & -places)) & 24;
          const place = here + (shift >> 3);
          if (((words >>> shift) & FIRST) !== 0 && this.#passes(folded, further, shift)) return place;
          if (((stop >>> shift) & FIRST) !== 0 && isStop(stops, buf, place)) return place;
        }
      }
      skip = 0;
      low = high;
      folded = further;
    }
    return (last << 2) - origin;
  }

  #wordsAt(buf: Uint8Array, at: number, end: number, onWord: OnWord | null): boolean {
    const indexes = this.#indexes;
    const head = headAt(buf, at);
    let found = false;
    for (let i = 0, first = 0; i < indexes.length; i++) {
      const index = indexes[i] as WordIndex;
      if (index.find(head, buf, at, end, first, onWord)) found = true;
      first += index.length;
    }
    return found;
  }

  /**
   * Finds the lines of `buf[from, to)` and flags those with a word or a sign: `ends[i]` is the position of the i-th
   * newline, `flags[i]` 1 where the line before it must go through the masker. Returns the number of whole lines found,
   * at most `ends.length`; the next call scans the rest again.
   */
  scan(buf: Uint8Array, from: number, to: number, ends: Uint32Array, flags: Uint8Array): number {
    const fours = foursOf(buf);
    const origin = buf.byteOffset & 3;
    const stops = this.#stops;
    const most = Math.min(ends.length, flags.length);
    let lines = 0;
    for (let at = from; ; at++) {
      at = this.#next(buf, fours, origin, at, to);
      if (at >= to) return lines;
      const byte = buf[at] as number;
      let flag = 0;
      if (byte !== NEWLINE) {
        if (!this.#wordsAt(buf, at, to, null) && !isStop(stops, buf, at)) continue;
        flag = 1;
        // A flagged line is searched no further.
        while (at < to && buf[at] !== NEWLINE) at += 1;
        if (at === to) return lines;
      }
      if (lines === most) return lines;
      ends[lines] = at;
      flags[lines++] = flag;
    }
  }

  /**
   * Calls back for each word in `buf[0, length)`, in the order of their starts. Returns whether the buffer contains a
   * sign.
   */
  find(buf: Uint8Array, length: number, onWord: OnWord, fours = foursOf(buf)): boolean {
    const origin = buf.byteOffset & 3;
    const stops = this.#stops;
    let isShownOtherwise = false;
    for (let at = 0; ; at++) {
      at = this.#next(buf, fours, origin, at, length);
      if (at >= length) return isShownOtherwise;
      this.#wordsAt(buf, at, length, onWord);
      if (!isShownOtherwise && buf[at] !== NEWLINE) isShownOtherwise = isStop(stops, buf, at);
    }
  }
}
