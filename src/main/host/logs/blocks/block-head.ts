import { crc32 } from 'node:zlib';

/** Facts of the rows on their way into a block, from which its head is made. */
export interface BlockFacts {
  readonly seqs: Float64Array;
  readonly ts: Float64Array;
  readonly runs: Float64Array;
  /** Of lines: a bit for each pair of level and source (`meta & 15`) that occurs. Of metrics 0. */
  readonly kinds: number;
  /** Of metrics: ids of their types, and of the series of their points. */
  readonly types: readonly number[] | null;
  readonly series: readonly number[] | null;
  /** Of metrics with points: the least and the greatest time of a point. */
  readonly times: { readonly from: number; readonly to: number } | null;
}

/** A block before it is stored: its bytes, valid until the next one is built, and what its head says of them. */
export interface BuiltBlock {
  readonly plain: Buffer;
  /** The part of it that searches look at; null if there is none. */
  readonly text: Buffer | null;
  readonly facts: BlockFacts;
}

/** Returns the id that a run has in the segment; 0 for rows without one. */
export type IdOfRun = (run: string | null) => number;

/** A block as it lies in the row: plain, or compressed by zstd. */
export const PLAIN = 0;
export const ZSTD = 1;

/**
 * What a reader knows of a block without its body: enough to pass it over. The columns of the table have the same names. Lists
 * of ids have a comma on both sides of each.
 */
export interface BlockHead {
  /** Seqs of its first and last row, and of the row of its kind before it, 0 for none: a block that is lost is noticed. */
  readonly first: number;
  readonly last: number;
  readonly before: number;
  readonly code: number;
  readonly n: number;
  /** Bytes before compression. */
  readonly size: number;
  readonly ts_from: number;
  readonly ts_to: number;
  readonly run_from: number;
  readonly run_to: number;
  readonly kinds: number;
  readonly types: string | null;
  /** Null also where there are too many. */
  readonly series: string | null;
  readonly t_from: number | null;
  readonly t_to: number | null;
  /** Checksum of the body. */
  readonly body_sum: number;
}

/** A stored head with its checksum. */
export type StoredHead = BlockHead & { readonly head_sum: number };

/** Columns of a head in the order of its checksum. */
export const HEAD_COLUMNS = [
  'first',
  'last',
  'before',
  'code',
  'n',
  'size',
  'ts_from',
  'ts_to',
  'run_from',
  'run_to',
  'kinds',
  'types',
  'series',
  't_from',
  't_to',
  'body_sum',
] as const satisfies readonly (keyof BlockHead)[];

export function headSum(head: BlockHead): number {
  return crc32(HEAD_COLUMNS.map((column) => head[column]).join(' '));
}

/** True if a head is as it was stored, and says what a head can say: a checksum is no signature. */
export function isSound(head: StoredHead): boolean {
  return isPossible(head) && headSum(head) === head.head_sum;
}

/** Rows of a block. */
export const MOST_ROWS = 4000;
/** Above what a block can be: characters of three bytes up to its limit, a row of 64 kB with as many fields, and columns. */
export const MOST_BYTES = 8 * 1024 * 1024;
/** Last moment that a Date can hold, in ms. */
export const END_OF_TIME = 8.64e15;

function isPossible(head: StoredHead): boolean {
  const { first, last, before, n, size, t_from, t_to } = head;
  const isRange = (from: number | null, to: number | null, least: number, most: number): boolean =>
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to) &&
    least <= Number(from) &&
    Number(from) <= Number(to) &&
    Number(to) <= most;
  const isList = (list: unknown): boolean => list === null || typeof list === 'string';
  return (
    isRange(first, last, 1, Number.MAX_SAFE_INTEGER) &&
    isRange(before, first - 1, 0, Number.MAX_SAFE_INTEGER) &&
    isRange(n, Math.min(MOST_ROWS, last - first + 1), 1, MOST_ROWS) &&
    isRange(size, MOST_BYTES, 0, MOST_BYTES) &&
    isRange(head.ts_from, head.ts_to, -END_OF_TIME, END_OF_TIME) &&
    isRange(head.run_from, head.run_to, 0, Number.MAX_SAFE_INTEGER) &&
    ((t_from === null && t_to === null) || isRange(t_from, t_to, -END_OF_TIME, END_OF_TIME)) &&
    isList(head.types) &&
    isList(head.series)
  );
}

/** True if metrics of this type are in the block. */
export function holdsType(head: BlockHead, type: number): boolean {
  return head.types?.includes(`,${type},`) ?? false;
}

/** True if points of this series may be in the block. */
export function mayHoldSeries(head: BlockHead, series: number): boolean {
  return head.series?.includes(`,${series},`) ?? true;
}

/** Series that a head names: a list of more costs every reader more than looking. */
const MOST_SERIES = 200;

function listOf(ids: readonly number[]): string {
  return `,${ids.join(',')},`;
}

export function makeHead(facts: BlockFacts, before: number, code: number, size: number, body: Buffer): BlockHead {
  const { seqs, ts, runs, types, series, times } = facts;
  let [runFrom, runTo] = [Number.POSITIVE_INFINITY, 0];
  for (const run of runs) {
    // Lines without a run belong to none.
    if (run !== 0 && run < runFrom) runFrom = run;
    if (run > runTo) runTo = run;
  }
  return {
    first: seqs[0] ?? 0,
    last: seqs.at(-1) ?? 0,
    before,
    code,
    n: seqs.length,
    size,
    ts_from: ts[0] ?? 0,
    ts_to: ts.at(-1) ?? 0,
    run_from: Math.min(runFrom, runTo),
    run_to: runTo,
    kinds: facts.kinds,
    types: types === null ? null : listOf(types),
    series: series === null || series.length > MOST_SERIES ? null : listOf(series),
    t_from: times?.from ?? null,
    t_to: times?.to ?? null,
    body_sum: crc32(body),
  };
}
