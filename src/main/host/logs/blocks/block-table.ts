import type { Statements } from '../../../../node/statements.ts';
import { damage, isDamaged } from '../../../../node/storage-error.ts';
import { errorText } from '../../../../node/system-error.ts';
import { unpacked } from './block-compression.ts';
import { type BlockHead, HEAD_COLUMNS, headSum, isSound, PLAIN, type StoredHead } from './block-head.ts';

/** Rows that blocks hold, a table for each. */
export const BLOCK_KINDS = ['line', 'metric'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

const ROWS = BLOCK_KINDS.map(
  (kind) => `
create table ${kind}_block(first integer primary key, last integer not null, before integer not null,
  code integer not null, n integer not null, size integer not null, ts_from integer not null, ts_to integer not null,
  run_from integer not null, run_to integer not null, kinds integer not null, types text, series text,
  t_from integer, t_to integer, body_sum integer not null, head_sum integer not null, body blob not null);`,
).join('');

/** Tables of a segment's blocks. Those of lines have filters for searches, by the same seq. */
export const BLOCK_TABLES = `${ROWS}
create table line_grams(first integer primary key, filter blob not null);`;

/** A part of a log that cannot be read: all rows of this kind between two seqs, or up to the end of the segment. */
export interface LostPart {
  readonly kind: BlockKind | 'row';
  readonly after: number;
  readonly before: number | null;
  /** Number of rows, and times in ms; null where the damage hides them. */
  readonly rows: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly reason: string;
}

export type OnLost = (lost: LostPart) => void;

const HEAD = HEAD_COLUMNS.join(', ');
/** Rows of a table that may be blocks: beyond, the next whole number is not the next one in JavaScript. */
const IN_RANGE = `first between 1 and ${Number.MAX_SAFE_INTEGER}`;

/**
 * One table of blocks of a segment, by the seq of their first row. It passes over a damaged block and reports it
 * to its caller, so that damage costs a block and not a segment.
 */
export class BlockTable {
  readonly #statements: Statements;
  readonly #kind: BlockKind;
  readonly #onLost: OnLost;
  /** Parts that were told of, by the seq before them. */
  readonly #told = new Set<number>();

  constructor(statements: Statements, kind: BlockKind, onLost: OnLost) {
    this.#statements = statements;
    this.#kind = kind;
    this.#onLost = onLost;
  }

  /** Replaces a damaged block in its place: seqs only rise, so no sound one begins with this one. */
  insert(head: BlockHead, body: Buffer, grams: Buffer | null = null): void {
    const marks = [...HEAD_COLUMNS, 'head_sum', 'body'].map(() => '?').join(', ');
    this.#statements.run(
      `insert or replace into ${this.#kind}_block(${HEAD}, head_sum, body) values(${marks})`,
      ...HEAD_COLUMNS.map((column) => head[column]),
      headSum(head),
      body,
    );
    if (grams === null) return;
    this.#statements.run(`insert or replace into ${this.#kind}_grams(first, filter) values(?, ?)`, head.first, grams);
  }

  /** Returns the search filter of a block, unchecked; null if there is none that can be read. */
  grams(head: BlockHead): unknown {
    try {
      const sql = `select filter from ${this.#kind}_grams where first = ?`;
      return this.#statements.get<{ filter: unknown }>(sql, head.first)?.filter ?? null;
    } catch (error) {
      // Without it a search takes longer and misses nothing.
      if (isDamaged(error)) return null;
      throw error;
    }
  }

  remove(first: number): void {
    this.#statements.run(`delete from ${this.#kind}_block where first = ?`, first);
  }

  /** Returns the first and the last sound block. */
  first(): BlockHead | null {
    return this.#next(Number.MIN_SAFE_INTEGER);
  }

  last(): BlockHead | null {
    return this.#previous(Number.MAX_SAFE_INTEGER);
  }

  /** Returns the first seq of the newest block, sound or not; 0 without any. */
  newest(): number {
    return Number(this.#nearest(Number.MAX_SAFE_INTEGER, 'desc')?.first ?? 0);
  }

  /** Returns the block that holds a row of this seq, or the first one behind it. */
  at(seq: number): BlockHead | null {
    const head = this.#previous(seq + 1);
    return head !== null && head.last >= seq ? head : this.#next(seq + 1);
  }

  /** Blocks that may hold rows of [lo, hi), in this order. */
  *walk(lo: number, hi: number, order: 'asc' | 'desc'): Generator<BlockHead> {
    let head = order === 'desc' ? this.#previous(hi) : this.at(lo);
    if (order === 'asc' && head !== null && this.#previous(head.first) === null) this.#checkOrder(null, head);
    while (head !== null && head.last >= lo && head.first < hi) {
      yield head;
      const next: BlockHead | null = order === 'desc' ? this.#previous(head.first) : this.#next(head.last + 1);
      if (order === 'desc') this.#checkOrder(next, head);
      else if (next !== null) this.#checkOrder(head, next);
      head = next;
    }
  }

  /** Returns the last blocks from a seq on that are not compressed and follow each other, the oldest first. */
  open(from: number): BlockHead[] {
    const heads: BlockHead[] = [];
    for (let below = Number.MAX_SAFE_INTEGER; ; ) {
      const head = this.#nearest(below, 'desc');
      const [later] = heads;
      if (head === undefined || head.first < from || !isSound(head) || head.code !== PLAIN) return heads;
      if (later !== undefined && later.before !== head.last) return heads;
      heads.unshift(head);
      below = head.first;
    }
  }

  /**
   * Returns the first blocks with points of these times, among those that begin beyond a seq, at most `limit` of them; `next`
   * is the seq to go on from, null at the end.
   */
  withPoints(
    from: number,
    to: number,
    after: number,
    limit: number,
  ): { readonly heads: readonly BlockHead[]; readonly next: number | null } {
    const which = 't_to >= ? and t_from < ? and first > ?';
    const sql = `select ${HEAD}, head_sum from ${this.#kind}_block where ${IN_RANGE} and ${which} order by first limit ?`;
    let toldTo = 0;
    const rows = this.#statements.all<StoredHead>(sql, from, to, after, limit);
    const heads = rows.filter((head) => {
      if (isSound(head)) return true;
      if (head.first >= toldTo) toldTo = this.#next(head.first)?.first ?? Number.POSITIVE_INFINITY;
      return false;
    });
    return { heads, next: rows.length < limit ? null : (rows.at(-1)?.first ?? null) };
  }

  /** Returns what a block holds, as it was built; null when it is damaged. */
  read<Block extends BlockRowsOf>(head: BlockHead, parse: (plain: Buffer) => Block): Block | null {
    try {
      const sql = `select body from ${this.#kind}_block where first = ?`;
      const body = this.#statements.get<{ body: unknown }>(sql, head.first)?.body;
      if (!Buffer.isBuffer(body)) throw damage('its bytes are gone');
      const block = parse(unpacked(head, body));
      checkAgainst(head, block);
      return block;
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.#lost({
        kind: this.#kind,
        after: head.before,
        before: head.last + 1,
        rows: head.n,
        from: head.ts_from,
        to: head.ts_to,
        reason: errorText(error),
      });
      return null;
    }
  }

  /** Says so when blocks between two neighbours are gone: each knows the row before it. */
  #checkOrder(earlier: BlockHead | null, later: BlockHead): void {
    if (later.before !== (earlier?.last ?? 0)) this.#lostBetween(earlier, later, 'a block is missing');
  }

  #previous(before: number): BlockHead | null {
    return this.#sound(before, 'desc', true);
  }

  #next(from: number): BlockHead | null {
    return this.#sound(from, 'asc', true);
  }

  /** Returns the nearest block below a seq, or from it on, of which the head is sound; tells of others on the way. */
  #sound(bound: number, order: 'asc' | 'desc', tells: boolean): BlockHead | null {
    for (let from = bound; ; ) {
      const head = this.#nearest(from, order) ?? null;
      if (head === null || isSound(head)) {
        if (tells && from !== bound) this.#lostHeads(bound, order, head);
        return head;
      }
      from = order === 'desc' ? head.first : head.first + 1;
    }
  }

  /** Tells of the heads between a place and the sound one that was found from there. */
  #lostHeads(bound: number, order: 'asc' | 'desc', found: BlockHead | null): void {
    const reason = 'the head of a block is not as it was stored';
    if (order === 'desc') this.#lostBetween(found, this.#sound(bound, 'asc', false), reason);
    else this.#lostBetween(this.#sound(bound, 'desc', false), found, reason);
  }

  #nearest(bound: number, order: 'asc' | 'desc'): StoredHead | undefined {
    const where = order === 'desc' ? 'first < ? order by first desc' : 'first >= ? order by first';
    const sql = `select ${HEAD}, head_sum from ${this.#kind}_block where ${IN_RANGE} and ${where} limit 1`;
    return this.#statements.get<StoredHead>(sql, bound);
  }

  #lostBetween(earlier: BlockHead | null, later: BlockHead | null, reason: string): void {
    this.#lost({
      kind: this.#kind,
      after: earlier?.last ?? 0,
      before: later?.first ?? null,
      rows: null,
      from: earlier?.ts_to ?? null,
      to: later?.ts_from ?? null,
      reason,
    });
  }

  /** Tells of a part once: its neighbours are read again and again. */
  #lost(part: LostPart): void {
    if (this.#told.has(part.after)) return;
    this.#told.add(part.after);
    this.#onLost(part);
  }
}

/** Rows of a block of any kind. */
export interface BlockRowsOf {
  readonly count: number;
  readonly seqs: Float64Array;
  readonly ts: Float64Array;
}

/** Checks that the rows of a block are those that its head speaks of, in their order. */
function checkAgainst(head: BlockHead, { count, seqs, ts }: BlockRowsOf): void {
  const isRising = seqs.every((seq, at) => at === 0 || seq > (seqs[at - 1] ?? seq));
  const [seqFrom, seqTo] = [seqs[0], seqs[count - 1]];
  const [tsFrom, tsTo] = [ts[0], ts[count - 1]];
  if (
    !isRising ||
    count !== head.n ||
    seqFrom !== head.first ||
    seqTo !== head.last ||
    tsFrom !== head.ts_from ||
    tsTo !== head.ts_to
  ) {
    throw damage('its rows are not those that its head names');
  }
}
