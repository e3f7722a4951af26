import { KEPT_TYPES } from '../ledger/vocabulary.ts';
import { BotSeries } from './bot-series.ts';
import type { LogReader, SeriesRow } from './log-database-read.ts';
import { HOUR, MINUTE } from './rollup-tables.ts';
import { type OpenLogs, SegmentSet } from './segment-set.ts';
import type {
  LineFacts,
  LogFilter,
  Order,
  SegmentRows,
  SeqRange,
  StoredLog,
  StoredMetric,
} from './stored-row-types.ts';

/** Reads the log of one bot over all its segments. The newest lines need only the newest one. */
export class BotLog {
  readonly #segments: SegmentSet;
  readonly charts: BotSeries;

  constructor(dir: string, open: OpenLogs) {
    this.#segments = new SegmentSet(dir, open);
    this.charts = new BotSeries(this.#segments);
  }

  /** Finds the present segments; false when the bot never logged anything. */
  refresh(): boolean {
    return this.#segments.refresh();
  }

  /** Closes this bot's files; the next read opens what it needs. */
  release(): void {
    this.#segments.release();
  }

  /** Returns the range of stored lines; null if there are none. */
  logBounds(): SeqRange | null {
    return this.#segments.run(() => {
      const last = this.#segments.last((at) => this.#segments.fact(at, 'lines'));
      const first = this.#segments.first((at) => this.#segments.fact(at, 'lines'));
      return first === null || last === null ? null : { lo: first.lo, hi: last.hi };
    });
  }

  /** Returns the highest seq given out, 0 when nothing was ever stored. */
  lastSeq(): number {
    return this.#newest((reader) => reader.lastSeq());
  }

  /**
   * Returns the seq after which the ledger takes rows, if it has none: segments of earlier releases do not say what their
   * runs traded with.
   */
  ledgerStart(): number {
    return this.#segments.run(() => {
      const start = this.#segments.first((at) =>
        this.#segments.read(at, (reader) => (reader.hasRunFacts ? (reader.state('from_seq') ?? 1) - 1 : null)),
      );
      return start ?? this.#segments.fact(this.#segments.newest, 'lastSeq');
    });
  }

  /** Returns the seq of the newest row that the ledger takes, which may be gone; 0 if there never was one. */
  lastLedgerSeq(): number {
    return this.#newest((reader) => reader.newestOf(KEPT_TYPES));
  }

  /** Returns the seq of the newest line of level error, which may be gone; null if there is none. */
  lastError(): number | null {
    return this.#newest((reader) => reader.state('last_error'));
  }

  /** Returns the first seq whose ts is at least `ts`, or the end of the range if there is none. */
  seqAt(ts: number, range: SeqRange): number {
    return this.#segments.run(() => {
      const at = this.#segments.lastThat((begin) => begin.ts < ts);
      const lo = this.#from(at, range.lo);
      const hi = at === this.#segments.newest ? range.hi : Math.min(range.hi, this.#segments.begin(at + 1).seq);
      return lo >= hi
        ? Math.min(lo, range.hi)
        : this.#segments.read(at, (reader) => reader.rows((rows) => rows.seqAt(ts, { lo, hi })));
    });
  }

  /**
   * Returns the next part of a range to search: at its end (at its beginning, `asc`), within one segment, of at most
   * `most` seqs. Null when no rows are left. Between segments seqs may be missing, very many after damage.
   */
  part(range: SeqRange, order: Order, most: number): SeqRange | null {
    return this.#segments.run(() => {
      const by = order === 'desc' ? -1 : 1;
      for (let at = this.#atSeq(order === 'desc' ? range.hi - 1 : range.lo); this.#isThere(at); at += by) {
        const lo = this.#from(at, range.lo);
        const hi = Math.min(range.hi, this.#segments.fact(at, 'lastSeq') + 1);
        if (lo < hi)
          return order === 'desc' ? { lo: Math.max(lo, hi - most), hi } : { lo, hi: Math.min(hi, lo + most) };
      }
      return null;
    });
  }

  /** Returns lines of a range that pass the filter, at most `limit`, in the given order. */
  logs(range: SeqRange, filter: LogFilter, order: Order, limit: number): StoredLog[] {
    return this.#rows(range, order, limit, (rows, left) => rows.logs(range, filter, order, left));
  }

  /** Returns the same of lines whose text nobody needs. */
  lineFacts(range: SeqRange, filter: LogFilter, order: Order, limit: number): LineFacts[] {
    return this.#rows(range, order, limit, (rows, left) => rows.lineFacts(range, filter, order, left));
  }

  hasLogBefore(seq: number): boolean {
    return this.#segments.run(() => {
      const first = this.#segments.first((at) => this.#segments.fact(at, 'lines'));
      return first !== null && first.lo < seq;
    });
  }

  logAt(seq: number): StoredLog | null {
    return this.#segments.run(() =>
      this.#segments.read(this.#atSeq(seq), (reader) => reader.rows((rows) => rows.logAt(seq))),
    );
  }

  /** Returns metrics of a type (null: of every type) in the open range (after, before), in the given order. */
  metrics(type: string | null, after: number, before: number, order: Order, limit: number): StoredMetric[] {
    const range = { lo: after + 1, hi: before };
    return this.#rows(range, order, limit, (rows, left) => rows.metrics(type, after, before, order, left));
  }

  /** Returns the newest event of each type with the number of events; kept also when the event itself is gone. */
  metricTypes(): (StoredMetric & { readonly n: number })[] {
    return this.#newest((reader) => reader.metricTypes());
  }

  series(): SeriesRow[] {
    return this.#newest((reader) => reader.series());
  }

  /** Returns the symbols of its metrics, including metrics without a number. */
  symbols(): string[] {
    return this.#newest((reader) => reader.symbols());
  }

  seriesOf(type: string, field: string): SeriesRow[] {
    return this.#newest((reader) => reader.seriesOf(type, field));
  }

  /** Returns stored lines and metrics by kind (0-3 levels, then COUNT_METRIC and COUNT_DROPPED), without reading rows. */
  totals(): Map<number, number> {
    return this.#segments.run(() => sumOf(this.#segments.each((at) => this.#segments.fact(at, 'totals'))));
  }

  /** Returns the same counts for the last hour, exact to the minute. */
  lastHour(now: number): Map<number, number> {
    return this.#segments.run(() =>
      sumOf(
        this.#segments.each((at) => {
          const isRecent = at === this.#segments.newest || this.#segments.fact(at, 'end') > now - HOUR - MINUTE;
          return isRecent ? this.#segments.read(at, (reader) => reader.lastHour(now)) : new Map<number, number>();
        }),
      ),
    );
  }

  firstTs(): number | null {
    return this.#segments.run(() => this.#segments.first((at) => this.#segments.fact(at, 'firstTs')));
  }

  lastTs(): number | null {
    return this.#segments.run(() => this.#segments.last((at) => this.#segments.fact(at, 'lastTs')));
  }

  /** Reads segment by segment in the order of a range, until enough rows are found. */
  #rows<Row>(range: SeqRange, order: Order, limit: number, read: (rows: SegmentRows, left: number) => Row[]): Row[] {
    return this.#segments.run(() => {
      const found: Row[] = [];
      const by = order === 'desc' ? -1 : 1;
      for (let at = this.#atSeq(order === 'desc' ? range.hi - 1 : range.lo); this.#isThere(at); at += by) {
        found.push(...this.#segments.read(at, (reader) => reader.rows((rows) => read(rows, limit - found.length))));
        const rest =
          order === 'desc' ? at > 0 && this.#segments.begin(at).seq > range.lo : this.#isBefore(at, range.hi);
        if (found.length >= limit || !rest) break;
      }
      return found;
    });
  }

  /** True if the next segment begins before this seq. */
  #isBefore(at: number, seq: number): boolean {
    return at < this.#segments.newest && this.#segments.begin(at + 1).seq < seq;
  }

  #isThere(at: number): boolean {
    return at >= 0 && at <= this.#segments.newest;
  }

  #atSeq(seq: number): number {
    return this.#segments.lastThat((begin) => begin.seq <= seq);
  }

  /** Returns the first seq of a range within a segment. */
  #from(at: number, lo: number): number {
    return at === 0 ? lo : Math.max(lo, this.#segments.begin(at).seq);
  }

  #newest<Result>(read: (reader: LogReader) => Result): Result {
    return this.#segments.run(() => this.#segments.read(this.#segments.newest, read));
  }
}

function sumOf(counts: readonly ReadonlyMap<number, number>[]): Map<number, number> {
  const sum = new Map<number, number>();
  for (const [kind, n] of counts.flatMap((one) => [...one])) sum.set(kind, (sum.get(kind) ?? 0) + n);
  return sum;
}
