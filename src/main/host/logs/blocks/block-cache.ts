/** Blocks that were read last, as they are used, up to a number of bytes: pages of a log follow each other. */
export class BlockCache {
  readonly #mostBytes: number;
  readonly #blocks = new Map<string, { readonly block: unknown; readonly bytes: number }>();
  #bytes = 0;
  #owners = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Returns a view for the blocks of one table, which never change. */
  view<Block>(): CachedBlocks<Block> {
    const owner = ++this.#owners;
    return {
      get: (name) => {
        const key = `${owner} ${name}`;
        const known = this.#blocks.get(key);
        if (known === undefined) return undefined;
        this.#blocks.delete(key);
        this.#blocks.set(key, known);
        return known.block as Block;
      },
      keep: (name, block, bytes) => {
        this.#blocks.set(`${owner} ${name}`, { block, bytes });
        this.#bytes += bytes;
        for (const [key, oldest] of this.#blocks) {
          if (this.#bytes <= this.#mostBytes) break;
          this.#blocks.delete(key);
          this.#bytes -= oldest.bytes;
        }
      },
    };
  }
}

/** Blocks of one table, by names that are theirs alone. */
export interface CachedBlocks<Block> {
  get(name: string): Block | undefined;
  keep(name: string, block: Block, bytes: number): void;
}
