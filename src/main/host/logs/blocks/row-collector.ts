import type { BuiltBlock, IdOfRun } from './block-head.ts';
import type { BlockBuilder } from './block-writer.ts';
import { BytesWriter } from './bytes-writer.ts';
import { columnOf } from './columns.ts';

/** Rows on their way into blocks, which know the least bytes of each. */
interface SizedRows {
  bytesOf(at: number): number;
}

/** Collects rows for a block that stores them column by column: those of stored blocks, and new ones that follow them. */
export abstract class RowCollector<Rows extends SizedRows, Block extends { readonly count: number }>
  implements BlockBuilder<Rows, Block>
{
  protected readonly blocks: Block[] = [];
  protected readonly out = new BytesWriter();
  /** The new rows: [from, to) of these. */
  protected rows: Rows | null = null;
  protected from = 0;
  protected to = 0;
  #count = 0;
  #bytes = 0;

  get count(): number {
    return this.#count;
  }

  /** Bytes of the rows, at least. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the row at a place, which follows the one that was added before. */
  add(rows: Rows, at: number): void {
    if (this.rows === null) this.from = at;
    this.rows = rows;
    this.to = at + 1;
    this.#count++;
    this.#bytes += rows.bytesOf(at);
  }

  /** Adds all rows of a stored block, ahead of any other; their text is never made into strings. */
  addBlock(block: Block): void {
    this.blocks.push(block);
    this.#count += block.count;
    this.#bytes += this.bytesOfBlock(block);
  }

  clear(): void {
    this.blocks.length = 0;
    this.rows = null;
    this.from = 0;
    this.to = 0;
    this.#count = 0;
    this.#bytes = 0;
  }

  /** Returns the block, valid until the next one; `idOf` gives the ids of runs. */
  abstract build(idOf: IdOfRun): BuiltBlock;

  /** Bytes of the rows of a stored block, at least. */
  protected abstract bytesOfBlock(block: Block): number;

  /** Puts a column of the stored blocks, and its values of the new rows, into one. */
  protected column(stored: (block: Block) => Float64Array, values: readonly number[]): Float64Array {
    return columnOf(this.blocks.map(stored), values);
  }
}
