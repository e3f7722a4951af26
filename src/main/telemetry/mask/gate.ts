/**
 * A byte automaton (Aho-Corasick) over words: one pass over a buffer finds all of them, whatever their number
 * (performance.md section 3.2). A to Z and a to z count as the same.
 */
export interface Gate {
  /** Words by index as given, folded. */
  readonly words: readonly string[];
  /** `table[(state << shift) + classes[byte]]` = next state * 2 + 1 where a word ends in it. */
  readonly table: Uint16Array | Uint32Array;
  readonly classes: Uint8Array;
  readonly shift: number;
  /** Indexes of the words that end in a state. */
  readonly found: readonly (readonly number[])[];
  /** Length of each word in bytes. */
  readonly lengths: Uint32Array;
}

const NEWLINE = 10;
const NONE: readonly number[] = [];
const fold = (byte: number): number => (byte >= 65 && byte <= 90 ? byte + 32 : byte);

/** Folds A-Z only, as the gate does. */
export function foldAscii(word: string): string {
  return word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** One class per byte that some word uses, 0 for all others. Returns the classes and how many there are. */
function byteClasses(words: readonly Buffer[]): { classes: Uint8Array; count: number } {
  const classes = new Uint8Array(256);
  let count = 1;
  for (const word of words) {
    for (const byte of word) {
      if (classes[byte] !== 0) continue;
      // All 256 bytes in use would need class 256: the last one then shares a class, the exact check tells them apart.
      classes[byte] = Math.min(count, 255);
      count = Math.min(count + 1, 256);
    }
  }
  for (let byte = 65; byte <= 90; byte++) classes[byte] = classes[fold(byte)] ?? 0;
  return { classes, count };
}

interface Trie {
  readonly next: Int32Array;
  readonly states: number;
  readonly found: (readonly number[])[];
}

function buildTrie(words: readonly Buffer[], classes: Uint8Array, shift: number): Trie {
  const most = words.reduce((sum, word) => sum + word.length, 1);
  const next = new Int32Array(most << shift);
  const found: (readonly number[])[] = [NONE];
  let states = 1;
  for (const [index, word] of words.entries()) {
    let state = 0;
    for (const byte of word) {
      const slot = (state << shift) + (classes[byte] ?? 0);
      if (next[slot] === 0) {
        next[slot] = states++;
        found.push(NONE);
      }
      state = next[slot] ?? 0;
    }
    found[state] = [...(found[state] ?? NONE), index];
  }
  return { next, states, found };
}

/** Fills the missing transitions from the longest suffix that is itself a prefix, breadth first. */
function close(trie: Trie, shift: number, count: number): void {
  const { next, found } = trie;
  const suffix = new Int32Array(trie.states);
  const queue: number[] = [];
  for (let c = 0; c < count; c++) if (next[c] !== 0) queue.push(next[c] ?? 0);
  for (let i = 0; i < queue.length; i++) {
    const state = queue[i] ?? 0;
    const shorter = suffix[state] ?? 0;
    const inherited = found[shorter] ?? NONE;
    if (inherited.length > 0) found[state] = [...(found[state] ?? NONE), ...inherited];
    for (let c = 0; c < count; c++) {
      const slot = (state << shift) + c;
      const fallback = next[(shorter << shift) + c] ?? 0;
      const target = next[slot] ?? 0;
      if (target === 0) next[slot] = fallback;
      else {
        suffix[target] = fallback;
        queue.push(target);
      }
    }
  }
}

/** Compiles the gate for these words (UTF-8, without newlines; empty ones find nothing). */
export function compileGate(words: readonly string[]): Gate {
  const folded = words.map(foldAscii);
  const bytes = folded.map((word) => Buffer.from(word));
  const { classes, count } = byteClasses(bytes);
  const shift = Math.ceil(Math.log2(Math.max(2, count)));
  const trie = buildTrie(bytes, classes, shift);
  close(trie, shift, count);
  trie.found[0] = NONE;
  const size = trie.states << shift;
  const table = trie.states < 32_768 ? new Uint16Array(size) : new Uint32Array(size);
  for (let slot = 0; slot < size; slot++) {
    const target = trie.next[slot] ?? 0;
    table[slot] = target * 2 + ((trie.found[target] ?? NONE).length > 0 ? 1 : 0);
  }
  const lengths = Uint32Array.from(bytes, (word) => word.length);
  return { words: folded, table, classes, shift, found: trie.found, lengths };
}

/**
 * Finds the lines of `buf[from, to)` and marks those that hold a word: `ends[i]` is the position of the i-th newline,
 * `flags[i]` 1 where the line before it must go through the masker. Returns the number of whole lines found, at most
 * `ends.length`; what follows the last one is scanned again by the next call.
 */
export function scan(
  gate: Gate,
  buf: Uint8Array,
  from: number,
  to: number,
  ends: Uint32Array,
  flags: Uint8Array,
): number {
  const { table, classes, shift } = gate;
  const most = Math.min(ends.length, flags.length);
  let state = 0;
  let flag = 0;
  let lines = 0;
  for (let i = from; i < to; i++) {
    const byte = buf[i] as number;
    if (byte === NEWLINE) {
      if (lines === most) return lines;
      ends[lines] = i;
      flags[lines++] = flag;
      state = 0;
      flag = 0;
      continue;
    }
    const step = table[(state << shift) + (classes[byte] as number)] as number;
    flag |= step & 1;
    state = step >> 1;
  }
  return lines;
}

/** Calls back for each word in `buf[0, length)` with its index and the position behind it, in order of that position. */
export function findWords(
  gate: Gate,
  buf: Uint8Array,
  length: number,
  onWord: (word: number, end: number) => void,
): void {
  const { table, classes, shift, found } = gate;
  let state = 0;
  for (let i = 0; i < length; i++) {
    const step = table[(state << shift) + (classes[buf[i] as number] as number)] as number;
    state = step >> 1;
    if ((step & 1) === 0) continue;
    for (const word of found[state] ?? NONE) onWord(word, i + 1);
  }
}
