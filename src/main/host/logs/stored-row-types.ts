/** A stored line with the name of its run. */
export interface StoredLog {
  readonly seq: number;
  readonly ts: number;
  readonly meta: number;
  readonly run: string | null;
  readonly line: string;
  readonly time: number | null;
  readonly fields: string | null;
}

/** What is known of a stored line without its text. */
export type LineFacts = Pick<StoredLog, 'seq' | 'ts' | 'meta'>;

/** A stored metric with its type's name; `data` is the JSON text of the line as it was stored. */
export interface StoredMetric {
  readonly seq: number;
  readonly ts: number;
  readonly time: number | null;
  readonly type: string;
  readonly run: string | null;
  /** What the run trades with; null where the segment does not say. */
  readonly mode: string | null;
  readonly data: string;
}

/**
 * Filter of lines in a range; undefined keeps all. `search` keeps every line in which it occurs, in its text or its fields,
 * in any case, and may keep others: the caller tests each line again.
 */
export interface LogFilter {
  readonly minLevel: number | undefined;
  readonly source: number | undefined;
  readonly run: string | undefined;
  readonly search: string | undefined;
}

/** Half-open range of seq: `lo` included, `hi` excluded. */
export interface SeqRange {
  readonly lo: number;
  readonly hi: number;
}

/** Order of rows by seq. */
export type Order = 'asc' | 'desc';

/** Where a read of points goes on: two numbers whose meaning is the segment's own. */
export type PointPlace = readonly [number, number];

/** Some points of a series, in any order; `next` is where the read goes on, null at the end. */
export interface SomePoints {
  readonly times: number[];
  readonly seqs: number[];
  readonly values: number[];
  readonly next: PointPlace | null;
}

/** The lines and metrics of one segment, however it stores them. */
export interface SegmentRows {
  /** Range of the stored lines; null without any. */
  logBounds(): SeqRange | null;
  /** The first seq in the range whose ts is at least `ts`, or the end of the range. */
  seqAt(ts: number, range: SeqRange): number;
  /** Lines of a range that pass the filter, at most `limit`, in the given order. */
  logs(range: SeqRange, filter: LogFilter, order: Order, limit: number): StoredLog[];
  /** The same of lines whose text nobody needs. */
  lineFacts(range: SeqRange, filter: LogFilter, order: Order, limit: number): LineFacts[];
  logAt(seq: number): StoredLog | null;
  /** Metrics of a type (null: of every type) in the open range (after, before), in the given order. */
  metrics(type: string | null, after: number, before: number, order: Order, limit: number): StoredMetric[];
  /** The next points of [from, to): tens of thousands at most, so that other reads get their turn; null: the first ones. */
  points(series: number, from: number, to: number, place: PointPlace | null): SomePoints;
  /** Time of the first row, line or metric. */
  firstRowTs(): number | null;
  /** Highest seq and time of a stored row; 0 without any. */
  end(): { readonly seq: number; readonly ts: number };
  /** Times of the first and the last line. */
  firstTs(): number | null;
  lastTs(): number | null;
}
