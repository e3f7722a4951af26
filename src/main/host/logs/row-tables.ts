import type { Param, Statements } from '../../../node/statements.ts';
import { damage } from '../../../node/storage-error.ts';
import { isSoundLine, META_SQL } from './line-meta.ts';
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
} from './stored-row-types.ts';

const LOG_COLUMNS = 'seq, ts, meta, run.name as run, line, time, fields';
const POINTS_AT_ONCE = 50_000;
const LOG_TABLES = 'log left join run on run.id = log.run';
const METRIC_COLUMNS =
  'metric.seq, metric.ts, metric.time, metric_type.name as type, run.name as run, null as mode, metric.data';
const METRIC_TABLES = 'metric join metric_type on metric_type.id = metric.type left join run on run.id = metric.run';

/** The rows of a segment of version 1, as releases before 0.2 wrote it: one of a table for each line, metric and point. */
export class RowTables implements SegmentRows {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** `min` and `max` in one statement would scan the table, so two subqueries. */
  logBounds(): SeqRange | null {
    const row = this.#get<{ lo: number | null; hi: number | null }>(
      'select (select min(seq) from log) as lo, (select max(seq) from log) as hi',
    );
    return row?.lo == null || row.hi === null ? null : { lo: row.lo, hi: row.hi + 1 };
  }

  /** Binary search, because ts never decreases with seq. */
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

  logs(range: SeqRange, filter: LogFilter, order: Order, limit: number): StoredLog[] {
    return this.#passing<StoredLog>(LOG_COLUMNS, range, filter, order, limit).map(soundLog);
  }

  lineFacts(range: SeqRange, filter: LogFilter, order: Order, limit: number): LineFacts[] {
    return this.#passing<LineFacts>('seq, ts, meta', range, filter, order, limit).map(soundFacts);
  }

  #passing<Line>(columns: string, range: SeqRange, filter: LogFilter, order: Order, limit: number): Line[] {
    const where = ['seq >= ?', 'seq < ?'];
    const params: Param[] = [range.lo, range.hi];
    const add = (test: string, ...values: Param[]): void => {
      where.push(test);
      params.push(...values);
    };
    if (filter.minLevel !== undefined && filter.minLevel > 0) add(`${META_SQL.level} >= ?`, filter.minLevel);
    if (filter.source !== undefined) add(`${META_SQL.source} = ?`, filter.source);
    if (filter.run !== undefined) add('log.run = (select id from run where name = ?)', filter.run);
    if (filter.search !== undefined) {
      const pattern = likePattern(filter.search);
      // Most lines have no fields: testing that first saves a tenth of a search.
      const like = "like ? escape '\\'";
      add(`(line ${like} or (fields is not null and fields ${like}) or ${META_SQL.nul})`, pattern, pattern);
    }
    const sql = `select ${columns} from ${LOG_TABLES} where ${where.join(' and ')} order by seq ${order} limit ?`;
    return this.#all<Line>(sql, ...params, limit);
  }

  logAt(seq: number): StoredLog | null {
    const row = this.#get<StoredLog>(`select ${LOG_COLUMNS} from ${LOG_TABLES} where seq = ?`, seq);
    return row === undefined ? null : soundLog(row);
  }

  metrics(type: string | null, after: number, before: number, order: Order, limit: number): StoredMetric[] {
    const only = type === null ? '' : 'and metric.type = (select id from metric_type where name = ?)';
    const params: Param[] = type === null ? [after, before, limit] : [after, before, type, limit];
    return this.#all<StoredMetric>(
      `select ${METRIC_COLUMNS} from ${METRIC_TABLES} where metric.seq > ? and metric.seq < ? ${only}
       order by metric.seq ${order} limit ?`,
      ...params,
    ).map(soundMetric);
  }

  points(series: number, from: number, to: number, place: PointPlace | null): SomePoints {
    const rows = this.#all<{ t: number; seq: number; value: number }>(
      `select t, seq, value from point where series = ? and (t, seq) > (?, ?) and t < ?
       order by t, seq limit ${POINTS_AT_ONCE}`,
      series,
      ...(place ?? [from, -1]),
      to,
    );
    const last = rows.at(-1);
    return {
      times: rows.map(({ t }) => t),
      seqs: rows.map(({ seq }) => seq),
      values: rows.map(({ value }) => value),
      next: last === undefined || rows.length < POINTS_AT_ONCE ? null : [last.t, last.seq],
    };
  }

  firstRowTs(): number | null {
    const metric = this.#get<{ ts: number }>('select ts from metric order by seq limit 1')?.ts;
    const line = this.firstTs();
    return metric === undefined ? line : Math.min(metric, line ?? metric);
  }

  end(): { readonly seq: number; readonly ts: number } {
    const newest = (table: string): { seq: number; ts: number } =>
      this.#get(`select seq, ts from ${table} order by seq desc limit 1`) ?? { seq: 0, ts: 0 };
    const [line, metric] = [newest('log'), newest('metric')];
    return { seq: Math.max(line.seq, metric.seq), ts: Math.max(line.ts, metric.ts) };
  }

  firstTs(): number | null {
    return this.#get<{ ts: number }>('select ts from log order by seq limit 1')?.ts ?? null;
  }

  lastTs(): number | null {
    return this.#get<{ ts: number }>('select ts from log order by seq desc limit 1')?.ts ?? null;
  }

  #get<Row>(sql: string, ...params: Param[]): Row | undefined {
    return this.#statements.get<Row>(sql, ...params);
  }

  #all<Row>(sql: string, ...params: Param[]): Row[] {
    return this.#statements.all<Row>(sql, ...params);
  }
}

/**
 * A LIKE pattern that lets every match through: SQLite folds case for ASCII only, so other characters become `%`, and
 * LIKE stops at a NUL, so that lines with one pass.
 */
function likePattern(search: string): string {
  const parts = search.replace(/[\\%_]/g, (special) => `\\${special}`).replace(/[^ -~]+/g, '%');
  return `%${parts}%`;
}

/** Returns an undamaged row. SQLite keeps no checksums, so a value that cannot have been stored counts as damage. */
function soundLog(row: StoredLog): StoredLog {
  if (isSoundLine(row.line, row.meta) && typeof row.ts === 'number') return row;
  throw damage(`line ${row.seq} is not as it was stored`);
}

function soundFacts(facts: LineFacts): LineFacts {
  if (typeof facts.meta === 'number' && typeof facts.ts === 'number') return facts;
  throw damage(`line ${facts.seq} is not as it was stored`);
}

function soundMetric(row: StoredMetric): StoredMetric {
  if (typeof row.data === 'string' && typeof row.type === 'string' && typeof row.ts === 'number') return row;
  throw damage(`metric ${row.seq} is not as it was stored`);
}
