import { maybeBehindEscape } from './escape-patterns.ts';

/** Folds only A-Z, as the index does. */
export function foldAscii(word: string): string {
  return word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Called with the number of a word and the place at which it begins. */
export type OnWord = (word: number, at: number) => void;

/** Length of a word's head. The last byte of a head of three is 0. */
const HEAD = 4;
const SHORTEST = 3;
const SHORT_HEAD = 0xffffff;
/** Bytes in the head and in the tail of a word, and the bits of a tail that count, by the length of the word. */
const LONG = 8;
const TAILS = [0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff];
const MIX = 0xc2b2ae35;

/** Masks for four bytes: the high bits, and what sets the high bit of bytes from A on, and of bytes after Z. */
const HIGH = 0x80808080;
const FROM_A = 0x3f3f3f3f;
const BEHIND_Z = 0x25252525;

export const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

/** Returns the four bytes at a place; missing ones count as 0. */
const fourAt = (buf: Uint8Array, at: number): number =>
  (buf[at] ?? 0) | ((buf[at + 1] ?? 0) << 8) | ((buf[at + 2] ?? 0) << 16) | ((buf[at + 3] ?? 0) << 24);

function foldFour(four: number): number {
  const low = four & ~HIGH;
  return four | (((((low + FROM_A) | 0) ^ ((low + BEHIND_Z) | 0)) & ~four & HIGH) >>> 2);
}

/** Returns the head that a word at a place would have. */
export const headAt = (buf: Uint8Array, at: number): number => foldFour(fourAt(buf, at));

const WORD_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => (/[\w-]/.test(String.fromCharCode(byte)) ? 1 : 0));

/**
 * True if a place is certainly inside a longer word. The last character of an escape, such as the n of a line end, belongs to
 * no word.
 */
const isWithinWord = (buf: Uint8Array, at: number): boolean =>
  WORD_BYTE[buf[at - 1] ?? 0] === 1 && !maybeBehindEscape(buf, at);

/** Words of at least three bytes in UTF-8, without newlines, by their first bytes. A to Z and a to z count as the same. */
export class WordIndex {
  readonly length: number;
  /** Each head, counted from 1, by its hash or in the next free slot. */
  readonly #slots: Uint16Array | Uint32Array;
  readonly #shift: number;
  /** The heads, and for each of them the index at which the words of the next one begin. */
  readonly #heads: Int32Array;
  readonly #hasShortest: boolean;
  /** Four numbers for each word: its tail, its length, its number or the complement of that, and the start of its rest. */
  readonly #words: Int32Array;
  readonly #rests: Uint8Array;

  /** `isStart`: true for words that are found only where a word may begin; ~ marks them. */
  constructor(words: readonly string[], isStart: (word: number) => boolean = () => false) {
    this.length = words.length;
    const parts = words.map((word) => Buffer.from(foldAscii(word)));
    if (parts.some(({ length }) => length < SHORTEST))
      throw new TypeError('A word of a keyword automaton has three bytes at least.');
    this.#hasShortest = parts.some(({ length }) => length === SHORTEST);
    const byHead = Map.groupBy(parts.keys(), (word) => fourAt(parts[word] ?? Buffer.alloc(0), 0));
    const bits = Math.max(3, Math.ceil(Math.log2(byHead.size * 4 + 1)));
    this.#shift = 32 - bits;
    this.#slots = byHead.size < 0xffff ? new Uint16Array(1 << bits) : new Uint32Array(1 << bits);
    this.#heads = new Int32Array(byHead.size * 2 + 2);
    this.#words = new Int32Array(words.length * 4);
    const rests: Buffer[] = [];
    let restAt = 0;
    let at = 0;
    for (const [i, [head, some]] of [...byHead].entries()) {
      this.#slots[this.#slotOf(head)] = i + 1;
      for (const word of some) {
        const part = parts[word] ?? Buffer.alloc(0);
        this.#words.set([fourAt(part, HEAD), part.length, isStart(word) ? ~word : word, restAt], 4 * at);
        const rest = part.subarray(LONG);
        rests.push(rest);
        restAt += rest.length;
        at += 1;
      }
      this.#heads.set([head, at], 2 * (i + 1));
    }
    this.#rests = Uint8Array.from(Buffer.concat(rests));
  }

  /** Calls back for each word with its head and its fifth byte, null without one. */
  eachHead(onHead: (head: number, fifth: number | null) => void): void {
    const heads = this.#heads;
    for (let i = 1; 2 * i < heads.length; i++) {
      for (let at = heads[2 * i - 1] as number; at < (heads[2 * i + 1] as number); at++) {
        const isLonger = (this.#words[4 * at + 1] as number) > HEAD;
        onHead(heads[2 * i] as number, isLonger ? (this.#words[4 * at] as number) & 255 : null);
      }
    }
  }

  /**
   * Calls back for each word at a place of `buf[0, end)` by its head, counted from `first`. Returns whether a word is
   * there.
   */
  find(head: number, buf: Uint8Array, at: number, end: number, first: number, onWord: OnWord | null): boolean {
    const found = this.#find(head, buf, at, end, first, onWord);
    const short = head & SHORT_HEAD;
    return (this.#hasShortest && short !== head && this.#find(short, buf, at, end, first, onWord)) || found;
  }

  /** Returns the slot that this head has, or would have. */
  #slotOf(head: number): number {
    const slots = this.#slots;
    let slot = Math.imul(head, MIX) >>> this.#shift;
    for (;;) {
      const i = slots[slot] as number;
      if (i === 0 || this.#heads[2 * i] === head) return slot;
      slot = (slot + 1) & (slots.length - 1);
    }
  }

  #find(head: number, buf: Uint8Array, at: number, end: number, first: number, onWord: OnWord | null): boolean {
    const known = this.#slots[this.#slotOf(head)] as number;
    if (known === 0) return false;
    const words = this.#words;
    const tail = foldFour(fourAt(buf, at + 4));
    const last = this.#heads[2 * known + 1] as number;
    let found = false;
    for (let i = this.#heads[2 * known - 1] as number; i < last; i++) {
      const size = words[4 * i + 1] as number;
      if (((tail ^ (words[4 * i] as number)) & (TAILS[size] ?? -1)) !== 0 || at + size > end) continue;
      if (size > LONG && !this.#restStands(words[4 * i + 3] as number, size - LONG, buf, at + LONG)) continue;
      const number = words[4 * i + 2] as number;
      if (number < 0 && isWithinWord(buf, at)) continue;
      if (onWord === null) return true;
      found = true;
      onWord(first + (number < 0 ? ~number : number), at);
    }
    return found;
  }

  #restStands(from: number, size: number, buf: Uint8Array, at: number): boolean {
    const rests = this.#rests;
    for (let i = 0; i < size; i++) if (FOLDED[buf[at + i] as number] !== rests[from + i]) return false;
    return true;
  }
}
