/** Text that replaces a secret. */
export const MASK = '***';
/** The mask for a number of JSON, which keeps the line valid JSON. */
const MASKED_NUMBER = `"${MASK}"`;

/** A masked text, and the number of places that were masked now. */
export interface Masked {
  readonly text: string;
  readonly spans: number;
}

/** An incomplete escape at the end of a text: `\`, `\u`, `\u00e`. */
const CUT_ESCAPE = /\\(u[0-9a-fA-F]{0,3})?$/;

/** Returns the number of characters of an unfinished escape right before a position, 0 for none. */
function cutEscape(line: string, position: number): { before: number; missing: number } {
  const cut = CUT_ESCAPE.exec(line.slice(Math.max(0, position - 6), position));
  if (cut === null) return { before: 0, missing: 0 };
  const before = cut[0].length;
  let run = 0;
  while (line[position - before - run] === '\\') run += 1;
  if (run % 2 === 0) return { before: 0, missing: 0 };
  return { before, missing: cut[1] === undefined ? 1 : 5 - cut[1].length };
}

/** The parts of one line that hold secrets, in any order. */
export class Spans {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Ends of JSON numbers by their starts. */
  #numbers: Map<number, number> | null = null;

  add(start: number, end: number): void {
    if (end <= start) return;
    this.#starts.push(start);
    this.#ends.push(end);
  }

  /** As add, for a number in a line of JSON. */
  addNumber(start: number, end: number): void {
    this.add(start, end);
    this.#numbers ??= new Map();
    this.#numbers.set(start, end);
  }

  get empty(): boolean {
    return this.#starts.length === 0;
  }

  /**
   * Returns the line with its spans replaced, overlapping and touching ones as one. A span never cuts an escape in two,
   * so that JSON text stays JSON; masked text stays and is not counted again.
   */
  apply(line: string): Masked {
    const order = this.#starts.map((_, i) => i).sort((a, b) => (this.#starts[a] ?? 0) - (this.#starts[b] ?? 0));
    let text = '';
    let done = 0;
    let spans = 0;
    for (let i = 0; i < order.length; ) {
      const start = this.#starts[order[i] ?? 0] ?? 0;
      let end = start;
      while (i < order.length && (this.#starts[order[i] ?? 0] ?? 0) <= end) {
        end = Math.max(end, this.#ends[order[i] ?? 0] ?? 0);
        i += 1;
      }
      const from = Math.max(done, start - cutEscape(line, start).before);
      const to = Math.min(line.length, end + cutEscape(line, end).missing);
      if (to <= done || line.slice(from, to) === MASK) continue;
      text += line.slice(done, from) + (this.#numbers?.get(from) === to ? MASKED_NUMBER : MASK);
      done = to;
      spans += 1;
    }
    return { text: text + line.slice(done), spans };
  }
}
