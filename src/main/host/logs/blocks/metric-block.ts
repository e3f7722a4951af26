import { damage } from '../../../../node/storage-error.ts';
import { MOST_POINTS } from '../metric-points.ts';
import type { BlockFacts, BuiltBlock, IdOfRun } from './block-head.ts';
import { BytesReader } from './bytes-reader.ts';
import {
  fromOwnTime,
  idsOf,
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
import { RowCollector } from './row-collector.ts';

const NONE = new NewMetrics();

/** Columns of a metric in memory. */
const COLUMNS = 8;
/** Least bytes of a metric: one in each of seven columns, and the newline behind its text. */
const LEAST_BYTES = 8;

/** Metrics on their way into a block, with their points, column by column; their text follows. */
export class MetricBlockBuilder extends RowCollector<NewMetrics, MetricBlock> {
  override build(idOf: IdOfRun): BuiltBlock {
    const { out, blocks, from, to } = this;
    const metrics = this.rows ?? NONE;
    const data = joinedLines(metrics.data.slice(from, to));
    const [firstPoint, lastPoint] = [metrics.pointStart(from), metrics.pointStart(to)];
    const seqs = this.column(({ seqs }) => seqs, metrics.seqs.slice(from, to));
    const ts = this.column(({ ts }) => ts, metrics.ts.slice(from, to));
    const types = this.column(({ types }) => types, metrics.types.slice(from, to));
    const runs = this.column(({ runs }) => runs, idsOf(metrics.runs, from, to, idOf));
    const times = this.column(({ times }) => times, metrics.times.slice(from, to));
    const lengths = this.column(({ lengths }) => lengths, data.lengths);
    const pointCounts = this.column(
      ({ pointCounts }) => pointCounts,
      Array.from({ length: to - from }, (_, row) => metrics.pointsOf(from + row)),
    );
    const series = this.column(({ series }) => series, metrics.series.slice(firstPoint, lastPoint));
    const values = this.column(({ values }) => values, metrics.values.slice(firstPoint, lastPoint));
    out.clear();
    out.number(this.count);
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

  protected override bytesOfBlock({ text, values }: MetricBlock): number {
    return text.length + values.length * POINT_BYTES;
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
