import { damage } from '../../../../node/storage-error.ts';
import { MOST_POINTS } from '../metric-points.ts';
import type { BlockFacts, BuiltBlock, IdOfRun } from './block-head.ts';
import { BytesReader } from './bytes-reader.ts';
import { BytesWriter } from './bytes-writer.ts';
import {
  columnOf,
  fromOwnTime,
  readIds,
  readNumbers,
  readOwnTimes,
  readRising,
  readValues,
  writeIds,
  writeNumbers,
  writeOwnTimes,
  writeRising,
  writeValues,
} from './columns.ts';
import { joinedLines } from './joined-lines.ts';
import { NewMetrics, POINT_BYTES } from './new-metrics.ts';

const NONE = new NewMetrics();

/** Columns of a metric in memory. */
const COLUMNS = 8;
/** Least bytes of a metric: one in each of seven columns, and the newline behind its text. */
const LEAST_BYTES = 8;

/** Metrics on their way into a block, with their points, column by column; their text follows. */
export class MetricBlockBuilder {
  readonly #blocks: MetricBlock[] = [];
  readonly #out = new BytesWriter();
  /** The metrics that follow the blocks: [from, to) of these. */
  #metrics: NewMetrics | null = null;
  #from = 0;
  #to = 0;
  #count = 0;
  #bytes = 0;

  get count(): number {
    return this.#count;
  }

  /** Bytes of text and points, at least. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the metric at a place, which follows the one that was added before. */
  add(metrics: NewMetrics, at: number): void {
    if (this.#metrics === null) this.#from = at;
    this.#metrics = metrics;
    this.#to = at + 1;
    this.#count++;
    this.#bytes += metrics.bytesOf(at);
  }

  /** Adds all metrics of a stored block, ahead of any other; their text is never made into strings. */
  addBlock(block: MetricBlock): void {
    this.#blocks.push(block);
    this.#count += block.count;
    this.#bytes += block.text.length + block.values.length * POINT_BYTES;
  }

  clear(): void {
    this.#blocks.length = 0;
    this.#metrics = null;
    this.#from = 0;
    this.#to = 0;
    this.#count = 0;
    this.#bytes = 0;
  }

  /** Returns the block, valid until the next one; `idOf` gives the ids of runs. */
  build(idOf: IdOfRun): BuiltBlock {
    const [out, blocks, from] = [this.#out, this.#blocks, this.#from];
    const metrics = this.#metrics ?? NONE;
    const data = joinedLines(metrics.data.slice(from, this.#to));
    const column = (
      stored: (block: MetricBlock) => Float64Array,
      valueAt: (at: number) => number | undefined,
    ): Float64Array => columnOf(blocks.map(stored), this.#to - from, (row) => valueAt(from + row));
    const firstPoint = metrics.pointStart(from);
    const points = (
      stored: (block: MetricBlock) => Float64Array,
      valueAt: (at: number) => number | undefined,
    ): Float64Array =>
      columnOf(blocks.map(stored), metrics.pointStart(this.#to) - firstPoint, (at) => valueAt(firstPoint + at));
    const seqs = column(
      (block) => block.seqs,
      (at) => metrics.seqs[at],
    );
    const ts = column(
      (block) => block.ts,
      (at) => metrics.ts[at],
    );
    const types = column(
      (block) => block.types,
      (at) => metrics.types[at],
    );
    const runs = column(
      (block) => block.runs,
      (at) => idOf(metrics.runs[at] ?? null),
    );
    const times = column(
      (block) => block.times,
      (at) => metrics.times[at],
    );
    const lengths = column(
      (block) => block.lengths,
      (at) => data.lengths[at - from],
    );
    const pointCounts = column(
      (block) => block.pointCounts,
      (at) => metrics.pointsOf(at),
    );
    const series = points(
      (block) => block.series,
      (at) => metrics.series[at],
    );
    const values = points(
      (block) => block.values,
      (at) => metrics.values[at],
    );
    out.clear();
    out.number(this.#count);
    writeRising(out, seqs);
    writeRising(out, ts);
    writeIds(out, types);
    writeIds(out, runs);
    writeOwnTimes(out, times);
    writeNumbers(out, lengths);
    writeNumbers(out, pointCounts);
    writeIds(out, series);
    writeValues(out, values);
    for (const block of blocks) out.bytes(block.text);
    out.text(data.text);
    const spread = spreadOf(pointCounts, times, ts);
    return {
      plain: out.view(),
      text: null,
      facts: { seqs, ts, runs, kinds: 0, types: distinct(types), series: distinct(series), times: spread },
    };
  }
}

function distinct(ids: Float64Array): number[] {
  const found = new Set<number>();
  for (let at = 0; at < ids.length; at++) if (ids[at] !== ids[at - 1]) found.add(ids[at] as number);
  return [...found];
}

/** Returns the least and the greatest time of a metric with points; null without any. */
function spreadOf(pointCounts: Float64Array, times: Float64Array, ts: Float64Array): BlockFacts['times'] {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < pointCounts.length; at++) {
    if (pointCounts[at] === 0) continue;
    const t = fromOwnTime(times[at]) ?? ts[at] ?? 0;
    if (t < from) from = t;
    if (t > to) to = t;
  }
  return from <= to ? { from, to } : null;
}

/** The metrics of a stored block. */
export class MetricBlock {
  readonly count: number;
  readonly seqs: Float64Array;
  readonly ts: Float64Array;
  readonly types: Float64Array;
  readonly runs: Float64Array;
  /** Times by the bot (fromOwnTime). */
  readonly times: Float64Array;
  readonly lengths: Float64Array;
  readonly pointCounts: Float64Array;
  readonly series: Float64Array;
  readonly values: Float64Array;
  /** The text of all metrics, each with a newline behind it. */
  readonly text: Buffer;
  readonly #starts: Float64Array;

  /** Bytes that it takes in memory. */
  readonly memory: number;

  /** @throws damage when the bytes are no block of metrics */
  constructor(plain: Buffer) {
    const reader = new BytesReader(plain);
    const count = reader.count(LEAST_BYTES);
    this.count = count;
    this.seqs = readRising(reader, count);
    this.ts = readRising(reader, count);
    this.types = readIds(reader, count);
    this.runs = readIds(reader, count);
    this.times = readOwnTimes(reader, count);
    this.lengths = readNumbers(reader, count);
    this.pointCounts = readNumbers(reader, count);
    const points = sum(this.pointCounts);
    if (points > count * MOST_POINTS) throw damage('a block names more points than it holds');
    this.series = readIds(reader, points);
    this.values = readValues(reader, points);
    this.#starts = new Float64Array(count);
    let size = 0;
    for (let at = 0; at < count; at++) {
      this.#starts[at] = size;
      size += (this.lengths[at] ?? 0) + 1;
    }
    this.text = reader.bytes(size);
    if (reader.left !== 0) throw damage('a block holds more than its rows');
    this.memory = plain.length + (count * COLUMNS + points * 2) * 8;
  }

  /** Text of a metric. */
  data(at: number): string {
    const start = this.#starts[at] ?? 0;
    return this.text.toString('utf8', start, start + (this.lengths[at] ?? 0));
  }

  /** Calls `take` with the time, the seq and the value of each point of a series, in the order of their seqs. */
  eachPoint(series: number, take: (t: number, seq: number, value: number) => void): void {
    let point = 0;
    for (let at = 0; at < this.count; at++) {
      const end = point + (this.pointCounts[at] ?? 0);
      for (; point < end; point++) {
        if (this.series[point] !== series) continue;
        take(fromOwnTime(this.times[at]) ?? this.ts[at] ?? 0, this.seqs[at] ?? 0, this.values[point] ?? 0);
      }
    }
  }
}

function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
