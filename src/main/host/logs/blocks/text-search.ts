import { GramFilter } from './gram-filter.ts';
import type { LineBlock } from './line-block.ts';

/** What the last search found in a block, which several steps of one search look at. */
const lately = new WeakMap<LineBlock, { readonly pattern: string; readonly hits: Uint8Array }>();

/**
 * Finds the lines of a block in which a text may occur, in any case, without a string for each of them. It looks for the
 * longest ASCII part of the text; who asks tests the lines that are found again.
 */
export class TextSearch {
  readonly #pattern: RegExp | null;
  /** Passes over whole blocks. */
  readonly grams: GramFilter;

  constructor(search: string) {
    const parts = search.match(/[ -~]+/g) ?? [];
    const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
    this.grams = new GramFilter(longest);
    // Bytes are looked at as Latin-1, in which no other character folds to an ASCII letter.
    this.#pattern = longest === '' ? null : new RegExp(escaped(longest), 'gi');
  }

  /** Returns 1 at the place of each line that may hold the text; null if every line may. */
  linesOf(block: LineBlock): Uint8Array | null {
    const pattern = this.#pattern;
    if (pattern === null) return null;
    const known = lately.get(block);
    if (known?.pattern === pattern.source) return known.hits;
    const hits = new Uint8Array(block.count);
    mark(pattern, block.text, block.starts, hits);
    mark(pattern, block.fieldText, block.fieldStarts, hits);
    lately.set(block, { pattern: pattern.source, hits });
    return hits;
  }
}

function mark(pattern: RegExp, bytes: Buffer, starts: Float64Array, hits: Uint8Array): void {
  if (bytes.length === 0) return;
  const text = bytes.toString('latin1');
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const at = lastAt(starts, match.index);
    hits[at] = 1;
    const next = starts[at + 1];
    if (next === undefined) return;
    // The rest of a line that is found need not be looked at.
    pattern.lastIndex = Math.max(next, match.index + 1);
  }
}

/** Returns the last place that begins at or before an offset. */
function lastAt(starts: Float64Array, offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
