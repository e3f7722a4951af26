import { toOwnTime } from './columns.ts';

/** Bytes of a value and of the id of its series, about. */
export const POINT_BYTES = 8;

/** A metric on its way into a block. `type` is an id of the segment; `data` is the JSON text of the line as it is stored. */
export interface NewMetric {
  readonly seq: number;
  readonly ts: number;
  readonly time: number | null;
  readonly type: number;
  readonly run: string | null;
  readonly data: string;
}

/** Metrics on their way into blocks, column by column. */
export class NewMetrics {
  readonly seqs: number[] = [];
  readonly ts: number[] = [];
  /** Times by the bot (fromOwnTime). */
  readonly times: number[] = [];
  readonly types: number[] = [];
  readonly runs: (string | null)[] = [];
  readonly data: string[] = [];
  /** Values of all metrics, one after another, with the ids of their series in the segment. */
  readonly series: number[] = [];
  readonly values: number[] = [];
  /** Where the values of each metric end. */
  readonly #pointEnds: number[] = [];
  #chars = 0;

  get count(): number {
    return this.seqs.length;
  }

  /** Bytes of text and points, at least. */
  get bytes(): number {
    return this.#chars + this.values.length * POINT_BYTES;
  }

  /** Bytes of the text and the points of a metric, at least. */
  bytesOf(at: number): number {
    return (this.data[at]?.length ?? 0) + this.pointsOf(at) * POINT_BYTES;
  }

  add({ seq, ts, time, type, run, data }: NewMetric): void {
    this.seqs.push(seq);
    this.ts.push(ts);
    this.times.push(toOwnTime(time));
    this.types.push(type);
    this.runs.push(run);
    this.data.push(data);
    this.#pointEnds.push(this.values.length);
    this.#chars += data.length;
  }

  /** Adds a value to the newest metric. */
  addPoint(series: number, value: number): void {
    this.series.push(series);
    this.values.push(value);
    this.#pointEnds[this.#pointEnds.length - 1] = this.values.length;
  }

  /** Number of the values of a metric. */
  pointsOf(at: number): number {
    return (this.#pointEnds[at] ?? 0) - this.pointStart(at);
  }

  /** Where the values of a metric begin. */
  pointStart(at: number): number {
    return at === 0 ? 0 : (this.#pointEnds[at - 1] ?? 0);
  }
}
