import type { LogFilter } from '../stored-row-types.ts';
import { type BlockHead, PLAIN } from './block-head.ts';
import type { LineBlock } from './line-block.ts';
import { TextSearch } from './text-search.ts';

/** Pairs of a level and a source, as the low bits of `meta` hold them. */
const KINDS = 16;

/** Which lines pass a filter: whole blocks are passed over by their heads, then lines by their columns. */
export class LineTest {
  /** A bit for each kind of line that passes. */
  readonly #kinds: number;
  readonly #run: number | undefined;
  readonly #search: TextSearch | null;

  /** `run` is the id in the segment of the run that the filter names. */
  constructor(filter: LogFilter, run: number | undefined) {
    this.#kinds = kindsOf(filter);
    this.#run = run;
    this.#search = filter.search === undefined ? null : new TextSearch(filter.search);
  }

  /** `grams` gives the filter of the block for searches. */
  mayPass(head: BlockHead, grams: () => unknown): boolean {
    const run = this.#run;
    if ((head.kinds & this.#kinds) === 0) return false;
    if (run !== undefined && (head.run_from > run || run > head.run_to)) return false;
    const filter = this.#search?.grams;
    return filter === undefined || !filter.asks || head.code === PLAIN || filter.mayHold(grams(), head.first);
  }

  /** Returns the test of the lines of a block, by their place. */
  of(block: LineBlock): (at: number) => boolean {
    const hits = this.#search?.linesOf(block) ?? null;
    return (at) =>
      (hits === null || hits[at] === 1) &&
      (this.#kinds & (1 << ((block.metas[at] ?? 0) & (KINDS - 1)))) !== 0 &&
      (this.#run === undefined || block.runs[at] === this.#run);
  }
}

function kindsOf({ minLevel, source }: LogFilter): number {
  let kinds = 0;
  for (let kind = 0; kind < KINDS; kind++) {
    const isLevel = (kind & 3) >= (minLevel ?? 0);
    if (isLevel && (source === undefined || kind >> 2 === source)) kinds |= 1 << kind;
  }
  return kinds;
}
