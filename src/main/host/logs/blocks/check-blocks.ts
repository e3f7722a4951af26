import { crc32 } from 'node:zlib';
import { HEAD_COLUMNS, isSound, type StoredHead } from './block-head.ts';
import type { BlockKind } from './block-table.ts';

/** A row of a table of blocks. */
export type StoredBlock = StoredHead & { readonly body: Uint8Array };

/** Query for all blocks of a kind, in their order. */
export function allBlocks(kind: BlockKind): string {
  return `select ${HEAD_COLUMNS.join(', ')}, head_sum, body from ${kind}_block order by first`;
}

/** What a look at all blocks of a kind has found: the first fault, null if none, and the seq of the last row. */
export interface CheckedBlocks {
  readonly fault: string | null;
  readonly last: number;
}

/** Checks that every byte of the blocks of a segment is as it was stored, and that none is missing between them. */
export function checkBlocks(kind: BlockKind, blocks: Iterable<StoredBlock>): CheckedBlocks {
  let last = 0;
  for (const block of blocks) {
    const fault = faultOf(kind, block, last);
    if (fault !== null) return { fault, last };
    last = block.last;
  }
  return { fault: null, last };
}

function faultOf(kind: BlockKind, block: StoredBlock, last: number): string | null {
  const where = `the block of ${kind}s at ${block.first}`;
  if (!isSound(block)) return `the head of ${where} is not as it was stored`;
  if (crc32(block.body) !== block.body_sum) return `${where} is not as it was stored`;
  return block.before === last ? null : `${where} does not follow the one before it: one is missing`;
}

/** Query for the newest seq of a segment and the first one that is its own. */
export const ENDS = `select (select value from state where key = 'seq') as newest,
  (select value from state where key = 'from_seq') as first`;

/** Returns what is wrong at the end of a segment: each seq that was given out belongs to a row (lostEnd). */
export function faultOfEnd(ends: { readonly newest?: unknown; readonly first?: unknown }, last: number): string | null {
  const newest = Number(ends.newest ?? 0);
  return newest > last && newest >= Number(ends.first ?? 1) ? `the last ${newest - last} rows are missing` : null;
}
