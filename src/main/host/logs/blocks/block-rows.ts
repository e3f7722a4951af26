import type { Statements } from '../../../../node/statements.ts';
import type {
  LineFacts,
  LogFilter,
  Order,
  PointPlace,
  SegmentRows,
  SeqRange,
  SomePoints,
  StoredLog,
  StoredMetric,
} from '../stored-row-types.ts';
import type { BlockCache, CachedBlocks } from './block-cache.ts';
import { type BlockHead, holdsType, mayHoldSeries } from './block-head.ts';
import { type BlockRowsOf, BlockTable, type OnLost } from './block-table.ts';
import { fromOwnTime } from './columns.ts';
import { LINES, METRICS } from './line-and-metric-blocks.ts';
import type { LineBlock } from './line-block.ts';
import { LineTest } from './line-filter.ts';
import { lostEnd } from './lost-end.ts';
import type { MetricBlock } from './metric-block.ts';
import { RunAndTypeNames } from './run-and-type-names.ts';

/** Blocks of points that are read at once. */
const BLOCKS_AT_ONCE = 12;

/** The lines and metrics of a segment that stores them in blocks. */
export class BlockRows implements SegmentRows {
  readonly #lines: BlockTable;
  readonly #metrics: BlockTable;
  readonly #lineBlocks: CachedBlocks<LineBlock>;
  readonly #metricBlocks: CachedBlocks<MetricBlock>;
  readonly #names: RunAndTypeNames;
  readonly #statements: Statements;
  readonly #onLost: OnLost;
  #toldEnd = false;

  constructor(statements: Statements, cache: BlockCache, onLost: OnLost, hasModes: boolean) {
    this.#statements = statements;
    this.#onLost = onLost;
    this.#lines = new BlockTable(statements, 'line', onLost);
    this.#metrics = new BlockTable(statements, 'metric', onLost);
    this.#lineBlocks = cache.view();
    this.#metricBlocks = cache.view();
    this.#names = new RunAndTypeNames(statements, hasModes);
  }

  logBounds(): SeqRange | null {
    this.#checkEnd();
    const first = this.#lines.first();
    const last = this.#lines.last();
    return first === null || last === null ? null : { lo: first.first, hi: last.last + 1 };
  }

  seqAt(ts: number, range: SeqRange): number {
    const head = this.#firstThatEnds(ts, range);
    if (head === null) return range.hi;
    const block = this.#lineBlock(head);
    // Where the block is lost, its first line stands for the one that is asked for.
    const seq = block === null ? head.first : (block.seqs[placeOf(block.ts, ts)] ?? head.last);
    return Math.min(Math.max(seq, range.lo), range.hi);
  }

  logs(range: SeqRange, filter: LogFilter, order: Order, limit: number): StoredLog[] {
    return this.#passing(range, filter, order, limit, (block, at) => this.#storedLog(block, at));
  }

  lineFacts(range: SeqRange, filter: LogFilter, order: Order, limit: number): LineFacts[] {
    return this.#passing(range, filter, order, limit, ({ seqs, ts, metas }, at) => ({
      seq: seqs[at] ?? 0,
      ts: ts[at] ?? 0,
      meta: metas[at] ?? 0,
    }));
  }

  /** Lines of a range that pass the filter, as `take` reads each from its place in a block. */
  #passing<Line>(
    range: SeqRange,
    filter: LogFilter,
    order: Order,
    limit: number,
    take: (block: LineBlock, at: number) => Line,
  ): Line[] {
    const run = filter.run === undefined ? undefined : this.#names.runId(filter.run);
    if (run === null) return [];
    const test = new LineTest(filter, run);
    const found: Line[] = [];
    for (const head of this.#lines.walk(range.lo, range.hi, order)) {
      if (found.length >= limit) break;
      const block = test.mayPass(head, () => this.#lines.grams(head)) ? this.#lineBlock(head) : null;
      if (block === null) continue;
      const passes = test.of(block);
      for (const at of places(block.seqs, range, order)) {
        if (found.length >= limit) break;
        if (passes(at)) found.push(take(block, at));
      }
    }
    return found;
  }

  logAt(seq: number): StoredLog | null {
    const head = this.#lines.at(seq);
    const block = head === null ? null : this.#lineBlock(head);
    const at = block?.seqs.indexOf(seq) ?? -1;
    return block === null || at < 0 ? null : this.#storedLog(block, at);
  }

  metrics(type: string | null, after: number, before: number, order: Order, limit: number): StoredMetric[] {
    const only = type === null ? null : this.#names.typeId(type);
    if (type !== null && only === null) return [];
    const range = { lo: after + 1, hi: before };
    const found: StoredMetric[] = [];
    for (const head of this.#metrics.walk(range.lo, range.hi, order)) {
      if (found.length >= limit) break;
      const block = only === null || holdsType(head, only) ? this.#metricBlock(head) : null;
      if (block === null) continue;
      for (const at of places(block.seqs, range, order)) {
        if (found.length >= limit) break;
        if (only === null || block.types[at] === only) found.push(this.#storedMetric(block, at));
      }
    }
    return found;
  }

  points(series: number, from: number, to: number, place: PointPlace | null): SomePoints {
    const [after] = place ?? [0];
    const { heads, next } = this.#metrics.withPoints(from, to, after, BLOCKS_AT_ONCE);
    const found: SomePoints = { times: [], seqs: [], values: [], next: next === null ? null : [next, 0] };
    for (const head of heads) {
      if (!mayHoldSeries(head, series)) continue;
      this.#metricBlock(head)?.eachPoint(series, (t, seq, value) => {
        if (t < from || t >= to) return;
        found.times.push(t);
        found.seqs.push(seq);
        found.values.push(value);
      });
    }
    return found;
  }

  firstRowTs(): number | null {
    const [line, metric] = [this.firstTs(), this.#metrics.first()?.ts_from ?? null];
    return line === null || metric === null ? (line ?? metric) : Math.min(line, metric);
  }

  end(): { readonly seq: number; readonly ts: number } {
    const [line, metric] = [this.#lines.last(), this.#metrics.last()];
    return {
      seq: Math.max(line?.last ?? 0, metric?.last ?? 0),
      ts: Math.max(line?.ts_to ?? 0, metric?.ts_to ?? 0),
    };
  }

  firstTs(): number | null {
    return this.#lines.first()?.ts_from ?? null;
  }

  lastTs(): number | null {
    return this.#lines.last()?.ts_to ?? null;
  }

  /** The first block of a range with a line at or after a time. Binary search, because ts never decreases with seq. */
  #firstThatEnds(ts: number, range: SeqRange): BlockHead | null {
    let { lo, hi } = range;
    let found: BlockHead | null = null;
    while (lo < hi) {
      const middle = Math.floor((lo + hi) / 2);
      const head = this.#lines.at(middle);
      if (head === null || head.first >= hi) hi = middle;
      else if (head.ts_to < ts) lo = head.last + 1;
      else {
        found = head;
        hi = Math.min(middle, head.first);
      }
    }
    return found;
  }

  #checkEnd(): void {
    const lost = lostEnd(this.#statements, this.#lines, this.#metrics);
    if (lost !== null && !this.#toldEnd) this.#onLost(lost);
    this.#toldEnd = lost !== null;
  }

  #lineBlock(head: BlockHead): LineBlock | null {
    return read(this.#lines, this.#lineBlocks, head, LINES.parse);
  }

  #metricBlock(head: BlockHead): MetricBlock | null {
    return read(this.#metrics, this.#metricBlocks, head, METRICS.parse);
  }

  #storedLog(block: LineBlock, at: number): StoredLog {
    const line = block.line(at);
    return { ...line, run: this.#names.runName(line.run) };
  }

  #storedMetric(block: MetricBlock, at: number): StoredMetric {
    return {
      seq: block.seqs[at] ?? 0,
      ts: block.ts[at] ?? 0,
      time: fromOwnTime(block.times[at]),
      type: this.#names.typeName(block.types[at] ?? 0),
      run: this.#names.runName(block.runs[at] ?? 0),
      mode: this.#names.runMode(block.runs[at] ?? 0),
      data: block.data(at),
    };
  }
}

/** Returns a block, from memory if it was read lately; null when it is damaged. */
function read<Block extends BlockRowsOf & { readonly memory: number }>(
  table: BlockTable,
  cached: CachedBlocks<Block>,
  head: BlockHead,
  parse: (plain: Buffer) => Block,
): Block | null {
  // An open block may be followed by a larger one in its place.
  const key = `${head.first} ${head.body_sum}`;
  const known = cached.get(key);
  if (known !== undefined) return known;
  const block = table.read(head, parse);
  if (block !== null) cached.keep(key, block, block.memory);
  return block;
}

/** Places of the rows of a block that are in a range of seqs. */
function* places(seqs: Float64Array, range: SeqRange, order: Order): Generator<number> {
  const from = placeOf(seqs, range.lo);
  const to = placeOf(seqs, range.hi);
  if (order === 'asc') for (let at = from; at < to; at++) yield at;
  else for (let at = to - 1; at >= from; at--) yield at;
}

/** Returns the first place whose value is at least this one, in values that never decrease. */
function placeOf(values: Float64Array, least: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
