import { damage } from '../../../node/storage-error.ts';
import { isSoundLine, knownSymbols, type LogDatabase, META_SQL, MOST_SYMBOLS } from './log-database.ts';
import { type Bucket, HOUR, RollupTables } from './rollup-tables.ts';
import { type Param, Statements } from './statements.ts';

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

/** A stored metric with its type's name; `data` is the JSON text of the line as it was stored. */
export interface StoredMetric {
  readonly seq: number;
  readonly ts: number;
  readonly time: number | null;
  readonly type: string;
  readonly run: string | null;
  readonly data: string;
}

/** Filter of lines in a range; undefined keeps all. `like` is a LIKE pattern with `\` as escape. */
export interface LogFilter {
  readonly minLevel: number | undefined;
  readonly source: number | undefined;
  readonly run: string | undefined;
  readonly like: string | undefined;
}

/** Half-open range of seq: `lo` included, `hi` excluded. */
export interface SeqRange {
  readonly lo: number;
  readonly hi: number;
}

/** Name of a numeric series: every database of a bot has ids of its own. */
export interface SeriesName {
  readonly type: string;
  readonly field: string;
  /** Empty when the metric has no symbol. */
  readonly symbol: string;
}

export interface SeriesRow extends SeriesName {
  readonly n: number;
  readonly last: number | null;
  readonly last_at: number | null;
}

const LOG_COLUMNS = 'seq, ts, meta, run.name as run, line, time, fields';
const LOG_TABLES = 'log left join run on run.id = log.run';
const METRIC_COLUMNS = 'metric.seq, metric.ts, metric.time, metric_type.name as type, run.name as run, metric.data';
const METRIC_TABLES = 'metric join metric_type on metric_type.id = metric.type left join run on run.id = metric.run';

/**
 * Typed reads of one segment of a log. Every statement runs to its end or is closed at once, because an open one blocks
 * checkpoints.
 */
export class LogReader {
  readonly #db: LogDatabase;
  readonly #statements: Statements;
  /** Rollups of this segment alone, by its own ids of series. */
  readonly rollups: RollupTables;

  constructor(db: LogDatabase) {
    this.#db = db;
    this.#statements = new Statements(db);
    this.rollups = new RollupTables(this.#statements);
  }

  close(): void {
    this.#db.close();
  }

  /** Returns the range of stored lines. `min` and `max` in one statement would scan the table, so two subqueries. */
  logBounds(): SeqRange | null {
    const row = this.#get<{ lo: number | null; hi: number | null }>(
      'select (select min(seq) from log) as lo, (select max(seq) from log) as hi',
    );
    return row?.lo == null || row.hi === null ? null : { lo: row.lo, hi: row.hi + 1 };
  }

  /** Returns the highest seq given out, 0 when nothing was ever stored. */
  lastSeq(): number {
    return this.state('seq') ?? 0;
  }

  state(key: string): number | null {
    return this.#get<{ value: number | null }>('select value from state where key = ?', key)?.value ?? null;
  }

  /**
   * Returns the first seq whose ts is at least `ts`, or `hi` if there is none. Binary search, because ts never
   * decreases with seq.
   */
  seqAt(ts: number, range: SeqRange): number {
    let { lo, hi } = range;
    while (lo < hi) {
      const middle = Math.floor((lo + hi) / 2);
      const row = this.#get<{ seq: number; ts: number }>(
        'select seq, ts from log where seq >= ? order by seq limit 1',
        middle,
      );
      if (row === undefined || row.seq >= hi || row.ts >= ts) hi = middle;
      else lo = row.seq + 1;
    }
    return lo;
  }

  /** Returns lines of a range that pass the filter, at most `limit`, in the given order. */
  logs(range: SeqRange, filter: LogFilter, order: 'asc' | 'desc', limit: number): StoredLog[] {
    const where = ['seq >= ?', 'seq < ?'];
    const params: Param[] = [range.lo, range.hi];
    const add = (test: string, ...values: Param[]): void => {
      where.push(test);
      params.push(...values);
    };
    if (filter.minLevel !== undefined && filter.minLevel > 0) add(`${META_SQL.level} >= ?`, filter.minLevel);
    if (filter.source !== undefined) add(`${META_SQL.source} = ?`, filter.source);
    if (filter.run !== undefined) add('log.run = (select id from run where name = ?)', filter.run);
    if (filter.like !== undefined) {
      // Most lines have no fields: testing that first saves a tenth of a search.
      const like = "like ? escape '\\'";
      add(`(line ${like} or (fields is not null and fields ${like}) or ${META_SQL.nul})`, filter.like, filter.like);
    }
    const sql = `select ${LOG_COLUMNS} from ${LOG_TABLES} where ${where.join(' and ')} order by seq ${order} limit ?`;
    return this.#all<StoredLog>(sql, ...params, limit).map(soundLog);
  }

  logAt(seq: number): StoredLog | null {
    const row = this.#get<StoredLog>(`select ${LOG_COLUMNS} from ${LOG_TABLES} where seq = ?`, seq);
    return row === undefined ? null : soundLog(row);
  }

  /** Returns metrics of a type (null: of every type) in the open range (after, before), in the given order. */
  metrics(type: string | null, after: number, before: number, order: 'asc' | 'desc', limit: number): StoredMetric[] {
    const only = type === null ? '' : 'and metric.type = (select id from metric_type where name = ?)';
    const params: Param[] = type === null ? [after, before, limit] : [after, before, type, limit];
    return this.#all<StoredMetric>(
      `select ${METRIC_COLUMNS} from ${METRIC_TABLES} where metric.seq > ? and metric.seq < ? ${only}
       order by metric.seq ${order} limit ?`,
      ...params,
    ).map(soundMetric);
  }

  /** Returns the newest event of each type with the number of events; kept also when retention removed the event itself. */
  metricTypes(): (StoredMetric & { readonly n: number })[] {
    return this.#all(
      `select metric_type.seq, ts, time, metric_type.name as type, run.name as run, data, n
       from metric_type left join run on run.id = metric_type.run order by metric_type.name`,
    );
  }

  series(): SeriesRow[] {
    return this.#all<SeriesRow>(
      `select metric_type.name as type, field, symbol, series.n, last, last_at
       from series join metric_type on metric_type.id = series.type order by type, field, symbol`,
    );
  }

  symbols(): string[] {
    // An earlier release stored symbols only with their series.
    const ofSeries = this.#all<{ symbol: string }>(
      "select distinct symbol from series where symbol <> '' order by symbol limit ?",
      MOST_SYMBOLS,
    );
    const all = new Set([...knownSymbols(this.#statements), ...ofSeries.map(({ symbol }) => symbol)]);
    return [...all].slice(0, MOST_SYMBOLS);
  }

  seriesOf(type: string, field: string): SeriesRow[] {
    return this.#all<SeriesRow>(
      `select metric_type.name as type, field, symbol, series.n, last, last_at
       from series join metric_type on metric_type.id = series.type
       where metric_type.name = ? and field = ? order by symbol`,
      type,
      field,
    );
  }

  seriesId(name: SeriesName): number | null {
    const row = this.#get<{ id: number }>(
      `select series.id from series join metric_type on metric_type.id = series.type
       where metric_type.name = ? and field = ? and symbol = ?`,
      name.type,
      name.field,
      name.symbol,
    );
    return row?.id ?? null;
  }

  /** Returns the series with an id above this one, in the order of their ids. */
  seriesAfter(id: number): (SeriesName & { readonly id: number })[] {
    return this.#all(
      `select series.id, metric_type.name as type, field, symbol
       from series join metric_type on metric_type.id = series.type where series.id > ? order by series.id`,
      id,
    );
  }

  /** Returns points of [from, to), the oldest first. */
  points(series: number, from: number, to: number, limit: number): Bucket[] {
    return this.#all<Bucket>(
      `select t, value as min, value as max, value as sum, 1 as n, value as last from point
       where series = ? and t >= ? and t < ? order by t, seq limit ?`,
      series,
      from,
      to,
      limit,
    );
  }

  /** Returns stored lines and metrics by kind (0-3 levels, then COUNT_METRIC and COUNT_DROPPED), without reading rows. */
  totals(): Map<number, number> {
    return this.#counts('select kind, sum(n) as n from count_hour group by kind');
  }

  /** Returns the same counts for the last hour, exact to the minute. */
  lastHour(now: number): Map<number, number> {
    return this.#counts('select kind, sum(n) as n from count_minute where bucket > ? group by kind', now - HOUR - 1);
  }

  /** Returns the time of the first row, line or metric. */
  firstRowTs(): number | null {
    const metric = this.#get<{ ts: number }>('select ts from metric order by seq limit 1')?.ts;
    const line = this.firstTs();
    return metric === undefined ? line : Math.min(metric, line ?? metric);
  }

  firstTs(): number | null {
    return this.#get<{ ts: number }>('select ts from log order by seq limit 1')?.ts ?? null;
  }

  lastTs(): number | null {
    return this.#get<{ ts: number }>('select ts from log order by seq desc limit 1')?.ts ?? null;
  }

  #counts(sql: string, ...params: Param[]): Map<number, number> {
    return new Map(this.#all<{ kind: number; n: number }>(sql, ...params).map((row) => [row.kind, row.n]));
  }

  #get<Row>(sql: string, ...params: Param[]): Row | undefined {
    return this.#statements.get<Row>(sql, ...params);
  }

  #all<Row>(sql: string, ...params: Param[]): Row[] {
    return this.#statements.all<Row>(sql, ...params);
  }
}

/** Returns an undamaged row. SQLite keeps no checksums, so a value that cannot have been stored counts as damage. */
function soundLog(row: StoredLog): StoredLog {
  if (isSoundLine(row.line, row.meta) && typeof row.ts === 'number') return row;
  throw damage(`line ${row.seq} is not as it was stored`);
}

function soundMetric(row: StoredMetric): StoredMetric {
  if (typeof row.data === 'string' && typeof row.type === 'string' && typeof row.ts === 'number') return row;
  throw damage(`metric ${row.seq} is not as it was stored`);
}
