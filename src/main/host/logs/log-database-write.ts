import type Database from 'better-sqlite3';
import {
  COUNT_DROPPED,
  COUNT_METRIC,
  knownSymbols,
  type LogDatabase,
  MOST_SYMBOLS,
  SYMBOL_STATE,
} from './log-database.ts';
import { HOUR, MINUTE, ROLLUP_CONFLICT } from './rollup-tables.ts';
import { Statements } from './statements.ts';

/** Rows per INSERT; the gain over row by row is 1.7x and flat beyond 50. */
const CHUNK = 100;
const SIZES = [CHUNK, 10, 1];

/** A line to store. `meta` as packMeta made it, times in ms since the epoch, `fields` JSON text. */
export interface LogRow {
  readonly seq: number;
  readonly ts: number;
  readonly meta: number;
  readonly run: string | null;
  readonly line: string;
  readonly time: number | null;
  readonly fields: string | null;
}

/** A metric to store. `data` is the JSON text of the line, `values` its numeric fields. */
export interface MetricRow {
  readonly seq: number;
  readonly ts: number;
  readonly time: number | null;
  readonly type: string;
  readonly run: string | null;
  readonly data: string;
  readonly symbol: string | null;
  /** Every symbol that the metric names, with or without a number beside it. */
  readonly symbols: readonly string[];
  readonly values: readonly (readonly [field: string, value: number])[];
}

/** Position in a spool file; `inside` and `level` describe a line that is longer than one row. */
export interface SpoolRow {
  readonly path: string;
  readonly run: string;
  readonly offset: number;
  /** 0 between lines, 1 inside a long line, 2 inside a long line whose rest is hidden. */
  readonly inside: number;
  readonly level: number;
}

export interface WriteBatch {
  readonly logs: readonly LogRow[];
  readonly metrics: readonly MetricRow[];
  readonly spools: readonly SpoolRow[];
  /** Lines of the host that were dropped while the log could not be written. */
  readonly dropped: number;
  /** Highest seq and ts given out so far. */
  readonly seq: number;
  readonly ts: number;
}

interface Rollup {
  min: number;
  max: number;
  sum: number;
  n: number;
  last: number;
}

interface SeriesUpdate {
  n: number;
  last: number;
  lastAt: number;
}

interface SeriesRow {
  readonly id: number;
  readonly type: number;
  readonly field: string;
  readonly symbol: string;
}

type Param = string | number | null;
type Statement = Database.Statement<Param[]>;

/** Inserts many rows by few statements, prepared at first use: a quiet bot never pays for the wide ones. */
class BulkInsert {
  readonly #db: LogDatabase;
  readonly #width: number;
  readonly #sql: (rows: number) => string;
  readonly #statements = new Map<number, Statement>();

  constructor(db: LogDatabase, head: string, width: number, tail = '') {
    this.#db = db;
    this.#width = width;
    const row = `(${Array<string>(width).fill('?').join(',')})`;
    this.#sql = (rows) => `${head} values${Array<string>(rows).fill(row).join(',')} ${tail}`;
  }

  /** `params` holds the rows one after another. */
  run(params: Param[]): void {
    let from = 0;
    for (const rows of SIZES) {
      const size = rows * this.#width;
      for (; params.length - from >= size; from += size) {
        this.#statement(rows).run(...(params.length === size ? params : params.slice(from, from + size)));
      }
    }
  }

  #statement(rows: number): Statement {
    let statement = this.#statements.get(rows);
    if (statement === undefined) {
      statement = this.#db.prepare<Param[]>(this.#sql(rows));
      this.#statements.set(rows, statement);
    }
    return statement;
  }
}

const COUNT_CONFLICT = 'on conflict(bucket, kind) do update set n = n + excluded.n';
const MOST_TYPES = 1000;
const OTHER_TYPE = '(other)';

/** A metric stored under the common type keeps its own type in its data. */
function withName(data: string, type: string): string {
  const name = `"_metric":${JSON.stringify(type)}`;
  return data === '{}' ? `{${name}}` : `{${name},${data.slice(1)}`;
}

/**
 * Writes a bot's rows. One call is one transaction with rows, counters, rollups and spool offsets, so a killed host
 * leaves either all of a batch or nothing. After an error the writer must be discarded: its caches may name rows that
 * were rolled back.
 */
export class LogWriter {
  readonly #db: LogDatabase;
  readonly #plain: BulkInsert;
  readonly #rich: BulkInsert;
  readonly #metrics: BulkInsert;
  readonly #points: BulkInsert;
  readonly #minutes: BulkInsert;
  readonly #hours: BulkInsert;
  readonly #countMinutes: BulkInsert;
  readonly #countHours: BulkInsert;
  readonly #spools: BulkInsert;
  readonly #setState: Statement;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #runs: Map<string, number>;
  readonly #types: Map<string, number>;
  readonly #series: Map<string, number>;
  readonly #symbols: Set<string>;
  readonly #maxSeries: number;
  /** Numeric fields that got no series because the bot has too many. */
  refusedSeries = 0;
  /** Metrics stored under one common type because the bot has too many. */
  refusedTypes = 0;

  constructor(db: LogDatabase, options: { readonly maxSeries: number }) {
    this.#db = db;
    this.#maxSeries = options.maxSeries;
    this.#plain = new BulkInsert(db, 'insert into log(seq, ts, meta, run, line)', 5);
    this.#rich = new BulkInsert(db, 'insert into log(seq, ts, meta, run, line, time, fields)', 7);
    this.#metrics = new BulkInsert(db, 'insert into metric(seq, ts, type, run, time, data)', 6);
    this.#points = new BulkInsert(db, 'insert into point(series, t, seq, value)', 4);
    const rollup = '(series, bucket, min, max, sum, n, last)';
    this.#minutes = new BulkInsert(db, `insert into rollup_minute${rollup}`, 7, ROLLUP_CONFLICT);
    this.#hours = new BulkInsert(db, `insert into rollup_hour${rollup}`, 7, ROLLUP_CONFLICT);
    this.#countMinutes = new BulkInsert(db, 'insert into count_minute(bucket, kind, n)', 3, COUNT_CONFLICT);
    this.#countHours = new BulkInsert(db, 'insert into count_hour(bucket, kind, n)', 3, COUNT_CONFLICT);
    this.#spools = new BulkInsert(db, 'insert or replace into spool(path, run, offset, inside, level)', 5);
    this.#setState = db.prepare<Param[]>('insert or replace into state(key, value) values(?, ?)');
    this.#begin = db.prepare('begin immediate');
    this.#commit = db.prepare('commit');
    this.#runs = new Map(this.#pairs('select name, id from run'));
    this.#types = new Map(this.#pairs('select name, id from metric_type'));
    this.#symbols = new Set(knownSymbols(new Statements(db)));
    this.#series = new Map(
      db
        .prepare<[], SeriesRow>('select id, type, field, symbol from series')
        .all()
        .map((row) => [seriesKey(row.type, row.field, row.symbol), row.id]),
    );
  }

  write(batch: WriteBatch): void {
    this.#begin.run();
    try {
      if (batch.logs.length > 0) this.#writeLogs(batch.logs);
      if (batch.metrics.length > 0) this.#writeMetrics(batch.metrics);
      this.#count(batch);
      if (batch.spools.length > 0) {
        this.#spools.run(batch.spools.flatMap((s) => [s.path, s.run, s.offset, s.inside, s.level]));
      }
      this.#setState.run('seq', batch.seq);
      this.#setState.run('ts', batch.ts);
      this.#commit.run();
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('rollback');
      throw error;
    }
  }

  #pairs(sql: string): [string, number][] {
    return this.#db
      .prepare<[], { name: string; id: number }>(sql)
      .all()
      .map((row) => [row.name, row.id]);
  }

  #runId(name: string | null): number | null {
    if (name === null) return null;
    const known = this.#runs.get(name);
    if (known !== undefined) return known;
    const id = Number(this.#db.prepare('insert into run(name) values(?)').run(name).lastInsertRowid);
    this.#runs.set(name, id);
    return id;
  }

  #writeLogs(rows: readonly LogRow[]): void {
    for (let from = 0; from < rows.length; from += CHUNK) {
      const chunk = rows.slice(from, from + CHUNK);
      const params: Param[] = [];
      if (chunk.some((row) => row.time !== null || row.fields !== null)) {
        for (const row of chunk) {
          params.push(row.seq, row.ts, row.meta, this.#runId(row.run), row.line, row.time, row.fields);
        }
        this.#rich.run(params);
      } else {
        for (const row of chunk) params.push(row.seq, row.ts, row.meta, this.#runId(row.run), row.line);
        this.#plain.run(params);
      }
    }
    const error = rows.findLast((row) => (row.meta & 3) === 3);
    if (error !== undefined) this.#setState.run('last_error', error.seq);
  }

  #writeMetrics(rows: readonly MetricRow[]): void {
    const types = this.#typeIds(rows);
    const params: Param[] = [];
    const points: Param[] = [];
    const updates = new Map<number, SeriesUpdate>();
    const minutes = new Map<string, [number, number, Rollup]>();
    for (const row of rows) {
      const known = types.get(row.type);
      const type = known ?? types.get(OTHER_TYPE) ?? 0;
      const data = known === undefined ? withName(row.data, row.type) : row.data;
      params.push(row.seq, row.ts, type, this.#runId(row.run), row.time, data);
      for (const symbol of row.symbols) this.#note(symbol, row.ts);
      const t = row.time ?? row.ts;
      for (const [field, value] of row.values) {
        const series = this.#seriesId(type, field, row.symbol ?? '');
        if (series === null) continue;
        points.push(series, t, row.seq, value);
        addUpdate(updates, series, t, value);
        addRollup(minutes, series, Math.floor(t / MINUTE) * MINUTE, value);
      }
    }
    this.#metrics.run(params);
    this.#points.run(points);
    this.#minutes.run(rollupParams(minutes.values()));
    this.#hours.run(rollupParams(toHours(minutes.values()).values()));
    const update = this.#db.prepare('update series set n = n + ?, last = ?, last_at = ? where id = ?');
    for (const [id, u] of updates) update.run(u.n, u.last, u.lastAt, id);
  }

  /** Creates missing types, and maintains count and newest event of each, so that the overview reads no metric rows. */
  #typeIds(rows: readonly MetricRow[]): Map<string, number> {
    const newest = new Map<string, { n: number; row: MetricRow }>();
    for (const row of rows) {
      const name = this.#typeName(row.type, newest);
      newest.set(name, { n: (newest.get(name)?.n ?? 0) + 1, row });
    }
    const upsert = this.#db.prepare<Param[], { id: number }>(
      `insert into metric_type(name, n, seq, ts, time, run, data) values(?, ?, ?, ?, ?, ?, ?)
       on conflict(name) do update set n = n + excluded.n, seq = excluded.seq, ts = excluded.ts, time = excluded.time,
       run = excluded.run, data = excluded.data returning id`,
    );
    for (const [name, { n, row }] of newest) {
      const id = upsert.get(name, n, row.seq, row.ts, row.time, this.#runId(row.run), row.data)?.id;
      if (id !== undefined) this.#types.set(name, id);
    }
    return this.#types;
  }

  /** Types outlive their metrics, so a bot that keeps inventing types gets one for the rest. */
  #typeName(name: string, coming: ReadonlyMap<string, unknown>): string {
    if (this.#types.has(name) || coming.has(name)) return name;
    const fresh = [...coming.keys()].filter((other) => !this.#types.has(other)).length;
    if (this.#types.size + fresh < MOST_TYPES) return name;
    this.refusedTypes++;
    return OTHER_TYPE;
  }

  #seriesId(type: number, field: string, symbol: string): number | null {
    const key = seriesKey(type, field, symbol);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= this.#maxSeries) {
      this.refusedSeries++;
      return null;
    }
    const insert = this.#db.prepare('insert into series(type, field, symbol, n) values(?, ?, ?, 0)');
    const id = Number(insert.run(type, field, symbol).lastInsertRowid);
    this.#series.set(key, id);
    return id;
  }

  /** Keeps a symbol apart from the series: a metric without a number has none. */
  #note(symbol: string, ts: number): void {
    if (this.#symbols.has(symbol) || this.#symbols.size >= MOST_SYMBOLS) return;
    this.#setState.run(`${SYMBOL_STATE}${symbol}`, ts);
    this.#symbols.add(symbol);
  }

  #count(batch: WriteBatch): void {
    const buckets = new Map<number, number[]>();
    let minute = Number.NaN;
    let kinds: number[] = [];
    const add = (ts: number, kind: number): void => {
      const bucket = ts - (ts % MINUTE);
      if (bucket !== minute) {
        minute = bucket;
        kinds = buckets.get(bucket) ?? [];
        buckets.set(bucket, kinds);
      }
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    };
    for (const row of batch.logs) add(row.ts, row.meta & 3);
    for (const row of batch.metrics) add(row.ts, COUNT_METRIC);
    for (let i = 0; i < batch.dropped; i++) add(batch.ts, COUNT_DROPPED);
    for (const [bucket, counted] of buckets) {
      for (const [kind, n] of counted.entries()) {
        if (n === undefined) continue;
        this.#countMinutes.run([bucket, kind, n]);
        this.#countHours.run([bucket - (bucket % HOUR), kind, n]);
      }
    }
  }
}

function seriesKey(type: number, field: string, symbol: string): string {
  return `${type} ${field.length} ${field}${symbol}`;
}

function addUpdate(updates: Map<number, SeriesUpdate>, series: number, at: number, value: number): void {
  const update = updates.get(series);
  if (update === undefined) updates.set(series, { n: 1, last: value, lastAt: at });
  else {
    update.n++;
    update.last = value;
    update.lastAt = at;
  }
}

function addRollup(into: Map<string, [number, number, Rollup]>, series: number, bucket: number, value: number): void {
  const key = `${series} ${bucket}`;
  const entry = into.get(key);
  if (entry === undefined) into.set(key, [series, bucket, { min: value, max: value, sum: value, n: 1, last: value }]);
  else merge(entry[2], { min: value, max: value, sum: value, n: 1, last: value });
}

function merge(into: Rollup, more: Rollup): void {
  if (more.min < into.min) into.min = more.min;
  if (more.max > into.max) into.max = more.max;
  into.sum += more.sum;
  into.n += more.n;
  into.last = more.last;
}

function toHours(minutes: Iterable<[number, number, Rollup]>): Map<string, [number, number, Rollup]> {
  const hours = new Map<string, [number, number, Rollup]>();
  for (const [series, minute, rollup] of minutes) {
    const bucket = Math.floor(minute / HOUR) * HOUR;
    const key = `${series} ${bucket}`;
    const entry = hours.get(key);
    if (entry === undefined) hours.set(key, [series, bucket, { ...rollup }]);
    else merge(entry[2], rollup);
  }
  return hours;
}

function rollupParams(rows: Iterable<[number, number, Rollup]>): Param[] {
  const params: Param[] = [];
  for (const [series, bucket, r] of rows) params.push(series, bucket, r.min, r.max, r.sum, r.n, r.last);
  return params;
}
