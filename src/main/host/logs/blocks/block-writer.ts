import { faultPoint } from '../../../../node/fault-point.ts';
import { damage } from '../../../../node/storage-error.ts';
import { packed } from './block-compression.ts';
import { type BuiltBlock, type IdOfRun, MOST_ROWS, makeHead, PLAIN, ZSTD } from './block-head.ts';
import type { BlockRowsOf, BlockTable } from './block-table.ts';
import { gramsOf } from './gram-filter.ts';

/** A block is compressed when it has MOST_ROWS, or this many bytes: more gains little, and a page must read all of it. */
const MOST_BYTES = 768 * 1024;
/**
 * The rest of a transaction in a flood is compressed from this many rows on: storing it as it is, reading it and storing it
 * again costs more than a block that is not full.
 */
const ENOUGH_ROWS = MOST_ROWS / 2;
/** Rows of a quiet bot come one at a time: this many small blocks become one. */
const MOST_SMALL = 64;

/** Rows on their way into blocks; bytes are the least that they take there. */
export interface NewRows {
  readonly count: number;
  readonly bytes: number;
  readonly seqs: readonly number[];
}

/** Collects rows for one block after another. One serves all bots of a thread, which write in turn. */
export interface BlockBuilder<Rows, Block> {
  readonly count: number;
  readonly bytes: number;
  /** Adds the row at a place, which follows the one that was added before. */
  add(rows: Rows, at: number): void;
  /** Adds the rows of a stored block, ahead of any other row. */
  addBlock(block: Block): void;
  clear(): void;
  build(idOf: IdOfRun): BuiltBlock;
}

/** How rows of one kind become blocks. */
export interface BlockFormat<Rows, Block> {
  readonly builder: BlockBuilder<Rows, Block>;
  parse(plain: Buffer): Block;
}

/**
 * Appends rows of one kind to a segment. Every transaction stores its rows in a block of its own, which is open: not
 * compressed unless it is full. Many small open blocks become one, and once the open ones have enough rows, a compressed block
 * takes their place; both happen in the transaction that brings the next rows. Nothing is kept in memory between two transactions, so a killed
 * host leaves nothing to repair and a quiet bot costs nothing.
 */
export class BlockWriter<Rows extends NewRows, Block extends BlockRowsOf> {
  readonly #table: BlockTable;
  readonly #format: BlockFormat<Rows, Block>;
  readonly #idOf: IdOfRun;
  /** Rows and bytes of the open blocks. */
  #open = { rows: 0, bytes: 0 };
  /** The small open blocks at the end: where they begin, and how many. */
  #small = { from: 0, blocks: 0 };
  /** Open blocks before this seq stay as they are, because one of them is damaged. */
  #from = 0;
  /** Seq of the newest row. */
  #last = 0;

  constructor(table: BlockTable, format: BlockFormat<Rows, Block>, idOf: IdOfRun) {
    this.#table = table;
    this.#format = format;
    this.#idOf = idOf;
    this.reload();
  }

  /** Looks at what is stored. Call it when a transaction was rolled back and this writer is to go on. */
  reload(): void {
    const heads = this.#table.open(this.#from);
    this.#open = { rows: 0, bytes: 0 };
    for (const { n, size } of heads) this.#count(n, size);
    this.#small = { from: heads[0]?.first ?? 0, blocks: heads.length };
    this.#last = this.#table.last()?.last ?? 0;
  }

  /** Bytes of the rows that wait to be compressed. */
  get openBytes(): number {
    return this.#open.bytes;
  }

  /** Stores rows within the transaction of the caller. */
  append(rows: Rows): void {
    const { builder } = this.#format;
    const { bytes, count } = rows;
    const [first] = rows.seqs;
    if (first === undefined) return;
    if (first <= this.#last) throw damage(`row ${first} would follow row ${this.#last}`);
    builder.clear();
    const isFull = this.#open.rows + count >= MOST_ROWS || this.#open.bytes + bytes >= MOST_BYTES;
    if (isFull) this.#take(this.#from);
    else if (this.#small.blocks >= MOST_SMALL) this.#take(this.#small.from);
    const isMerged = builder.count > 0;
    for (let at = 0; at < count; at++) {
      builder.add(rows, at);
      if (builder.count >= MOST_ROWS || builder.bytes >= MOST_BYTES) this.#store(ZSTD);
    }
    // Open blocks before a compressed one would stay open.
    const code = this.#open.rows === 0 && builder.count >= ENOUGH_ROWS ? ZSTD : PLAIN;
    if (builder.count > 0) this.#store(code);
    this.#small =
      isFull || isMerged || code === ZSTD
        ? { from: this.#last + 1, blocks: 0 }
        : { ...this.#small, blocks: this.#small.blocks + 1 };
  }

  /** Compresses the rows that wait, within the transaction of the caller: no more will follow. */
  compress(): void {
    this.#format.builder.clear();
    this.#take(this.#from);
    if (this.#format.builder.count > 0) this.#store(ZSTD);
  }

  /**
   * Takes the rows of open blocks from a seq on back. Where one is damaged, it and all before it stay as they are: readers
   * tell what is lost.
   */
  #take(from: number): void {
    const heads = this.#table.open(Math.max(from, this.#from));
    const blocks = heads.map((head) => this.#table.read(head, this.#format.parse));
    const cut = blocks.lastIndexOf(null) + 1;
    const damaged = heads[cut - 1];
    if (damaged !== undefined) {
      this.#from = damaged.last + 1;
      this.#open = { rows: 0, bytes: 0 };
      for (const { n, size } of heads.slice(cut)) this.#count(n, size);
    }
    for (const [at, head] of heads.entries()) {
      const block = blocks[at];
      if (at < cut || block === null || block === undefined) continue;
      this.#format.builder.addBlock(block);
      this.#table.remove(head.first);
      this.#count(-head.n, -head.size);
    }
    this.#last = heads[cut]?.before ?? this.#last;
    faultPoint('compress:taken');
  }

  #store(code: typeof PLAIN | typeof ZSTD): void {
    const { builder } = this.#format;
    const { plain, text, facts } = builder.build(this.#idOf);
    const body = code === ZSTD ? packed(plain) : plain;
    const head = makeHead(facts, this.#last, code, plain.length, body);
    this.#table.insert(head, body, code === ZSTD && text !== null ? gramsOf(text, head.first) : null);
    if (code === ZSTD) faultPoint('compress:stored');
    this.#last = head.last;
    if (code === PLAIN) this.#count(head.n, plain.length);
    builder.clear();
  }

  #count(rows: number, bytes: number): void {
    this.#open.rows += rows;
    this.#open.bytes += bytes;
  }
}
