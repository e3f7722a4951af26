import type Database from 'better-sqlite3';
import { Statements } from '../../../node/statements.ts';
import { isLedgerType } from '../ledger/vocabulary.ts';
import { BlockTable, type OnLost } from './blocks/block-table.ts';
import { BlockWriter } from './blocks/block-writer.ts';
import { LINES, METRICS } from './blocks/line-and-metric-blocks.ts';
import type { LineBlock } from './blocks/line-block.ts';
import { lostEnd } from './blocks/lost-end.ts';
import type { MetricBlock } from './blocks/metric-block.ts';
import type { NewLines } from './blocks/new-lines.ts';
import { NewMetrics } from './blocks/new-metrics.ts';
import { ERROR } from './classify-json-line.ts';
import {
  COUNT_DROPPED,
  COUNT_METRIC,
  knownSymbols,
  type LogDatabase,
  MOST_SYMBOLS,
  SYMBOL_STATE,
} from './log-database.ts';
import { PointSums, type Rollup } from './point-sums.ts';
import { HOUR, MINUTE, ROLLUP_CONFLICT } from './rollup-tables.ts';
import type { RunFacts } from './telemetry-types.ts';

/** Rows per INSERT; the gain over row by row is 1.7x and flat beyond 50. */
const CHUNK = 100;
const SIZES = [CHUNK, 10, 1];

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
  readonly logs: NewLines;
  readonly metrics: readonly MetricRow[];
  readonly spools: readonly SpoolRow[];
  /** Lines of the host that were dropped while the log could not be written. */
  readonly dropped: number;
  /** Keys of `state` that lines of this batch have told of, so that none tells it again. */
  readonly told: readonly string[];
  /** Highest seq and ts given out so far. */
  readonly seq: number;
  readonly ts: number;
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

const UPSERT_RUN = `insert into run(name, mode, hash, trigger) values(?, ?, ?, ?)
  on conflict(name) do update set mode = excluded.mode, hash = excluded.hash, trigger = excluded.trigger returning id`;
const UPSERT_TYPE = `insert into metric_type(name, n, seq, ts, time, run, data) values(?, ?, ?, ?, ?, ?, ?)
  on conflict(name) do update set n = n + excluded.n, seq = excluded.seq, ts = excluded.ts, time = excluded.time,
  run = excluded.run, data = excluded.data returning id`;
const UPDATE_SERIES = 'update series set n = n + ?, last = ?, last_at = ? where id = ?';
const COUNT_CONFLICT = 'on conflict(bucket, kind) do update set n = n + excluded.n';
const MOST_TYPES = 1000;
const OTHER_TYPE = '(other)';

/** A metric stored under the common type keeps its own type in its data. */
function withName(data: string, type: string): string {
  const name = `"_metric":${JSON.stringify(type)}`;
  return data === '{}' ? `{${name}}` : `{${name},${data.slice(1)}`;
}

/** The ids of the series in a segment, found without making a key: each value of each metric asks. */
class SeriesIds {
  readonly #types = new Map<number, Map<string, Map<string, number>>>();
  size = 0;

  get(type: number, symbol: string, field: string): number | undefined {
    return this.#types.get(type)?.get(symbol)?.get(field);
  }

  /** Adds a series that is not there. */
  set(type: number, symbol: string, field: string, id: number): void {
    const symbols = this.#types.get(type) ?? new Map<string, Map<string, number>>();
    const fields = symbols.get(symbol) ?? new Map<string, number>();
    this.#types.set(type, symbols.set(symbol, fields.set(field, id)));
    this.size += 1;
  }
}

export interface LogWriterOptions {
  /** Series a bot may open. */
  readonly maxSeries: number;
  /** Told of rows that were stored a moment ago and cannot be read. */
  readonly onLost: OnLost;
  /** What is known of a run; null where nothing is. */
  readonly factsOf: (runId: string) => RunFacts | null;
}

/**
 * Writes a bot's rows. One call is one transaction with rows, counters, rollups and spool offsets, so a killed host
 * leaves either all of a batch or nothing. After an error the writer must be discarded: its caches may name rows that
 * were rolled back.
 */
export class LogWriter {
  readonly #db: LogDatabase;
  readonly #statements: Statements;
  readonly #lines: BlockWriter<NewLines, LineBlock>;
  readonly #metrics: BlockWriter<NewMetrics, MetricBlock>;
  readonly #minutes: BulkInsert;
  readonly #hours: BulkInsert;
  readonly #countMinutes: BulkInsert;
  readonly #countHours: BulkInsert;
  readonly #spools: BulkInsert;
  readonly #setState: Statement;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #runs: Map<string, number>;
  /** Runs of the segment that lack their facts: a line of the host may come before the host knows them. */
  readonly #bare: Set<string>;
  readonly #factsOf: (runId: string) => RunFacts | null;
  readonly #types: Map<string, number>;
  readonly #series = new SeriesIds();
  readonly #symbols: Set<string>;
  readonly #maxSeries: number;
  /** Numeric fields that got no series because the bot has too many. */
  refusedSeries = 0;
  /** Metrics stored under one common type because the bot has too many. */
  refusedTypes = 0;

  constructor(db: LogDatabase, options: LogWriterOptions) {
    this.#db = db;
    this.#maxSeries = options.maxSeries;
    this.#factsOf = options.factsOf;
    const statements = new Statements(db);
    this.#statements = statements;
    const lines = new BlockTable(statements, 'line', options.onLost);
    const metrics = new BlockTable(statements, 'metric', options.onLost);
    // The rows that come next would hide that the last ones are gone.
    const lost = lostEnd(statements, lines, metrics);
    if (lost !== null) options.onLost(lost);
    const idOf = (run: string | null): number => this.#runId(run);
    this.#lines = new BlockWriter(lines, LINES, idOf);
    this.#metrics = new BlockWriter(metrics, METRICS, idOf);
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
    this.#bare = new Set(this.#pairs('select name, id from run where mode is null').map(([name]) => name));
    this.#types = new Map(this.#pairs('select name, id from metric_type'));
    this.#symbols = new Set(knownSymbols(statements));
    for (const row of db.prepare<[], SeriesRow>('select id, type, field, symbol from series').all()) {
      this.#series.set(row.type, row.symbol, row.field, row.id);
    }
  }

  write(batch: WriteBatch): void {
    this.#atOnce(() => {
      if (batch.logs.count > 0) this.#writeLogs(batch.logs);
      if (batch.metrics.length > 0) this.#writeMetrics(batch.metrics);
      this.#count(batch);
      if (batch.spools.length > 0) {
        this.#spools.run(batch.spools.flatMap((s) => [s.path, s.run, s.offset, s.inside, s.level]));
      }
      for (const key of batch.told) this.#setState.run(key, 1);
      this.#setState.run('seq', batch.seq);
      this.#setState.run('ts', batch.ts);
    });
  }

  /** Compresses what waits for more rows: another segment follows. */
  compress(): void {
    try {
      this.#atOnce(() => {
        this.#lines.compress();
        this.#metrics.compress();
      });
    } catch (error) {
      // The disk may be full, and the rows wait on.
      this.#lines.reload();
      this.#metrics.reload();
      throw error;
    }
  }

  /** Bytes of the rows that are not compressed yet. */
  get openBytes(): number {
    return this.#lines.openBytes + this.#metrics.openBytes;
  }

  #atOnce(write: () => void): void {
    this.#begin.run();
    try {
      write();
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

  /** Returns the id of a run, 0 for none. */
  #runId(name: string | null): number {
    if (name === null) return 0;
    const known = this.#runs.get(name);
    if (known !== undefined && !this.#bare.has(name)) return known;
    const facts = this.#factsOf(name);
    if (known !== undefined && facts === null) return known;
    const values = [facts?.mode ?? null, facts?.hash ?? null, facts?.trigger ?? null];
    const id = Number(this.#statements.get<{ id: number }>(UPSERT_RUN, name, ...values)?.id);
    this.#runs.set(name, id);
    if (facts === null) this.#bare.add(name);
    else this.#bare.delete(name);
    return id;
  }

  #writeLogs(rows: NewLines): void {
    this.#lines.append(rows);
    const error = rows.metas.findLastIndex((meta) => (meta & 3) === ERROR);
    if (error >= 0) this.#setState.run('last_error', rows.seqs[error] ?? 0);
  }

  #writeMetrics(rows: readonly MetricRow[]): void {
    const types = this.#typeIds(rows);
    const sums = new PointSums();
    const stored = new NewMetrics();
    for (const row of rows) {
      const { seq, ts, time, run } = row;
      const known = types.get(row.type);
      const type = known ?? types.get(OTHER_TYPE) ?? 0;
      const data = known === undefined ? withName(row.data, row.type) : row.data;
      for (const symbol of row.symbols) this.#note(symbol, ts);
      stored.add({ seq, ts, time, type, run, data });
      for (const [field, value] of row.values) {
        const series = this.#seriesId(type, field, row.symbol ?? '');
        if (series === null) continue;
        stored.addPoint(series, value);
        sums.add(series, time ?? ts, value);
      }
    }
    this.#metrics.append(stored);
    this.#minutes.run(rollupParams(sums.minutes()));
    this.#hours.run(rollupParams(sums.hours()));
    for (const [id, u] of sums.series) this.#statements.run(UPDATE_SERIES, u.n, u.last, u.lastAt, id);
  }

  /** Creates missing types, and maintains count and newest event of each, so that the overview reads no metric rows. */
  #typeIds(rows: readonly MetricRow[]): Map<string, number> {
    const newest = new Map<string, { n: number; row: MetricRow }>();
    for (const row of rows) {
      const name = this.#typeName(row.type, newest);
      newest.set(name, { n: (newest.get(name)?.n ?? 0) + 1, row });
    }
    for (const [name, { n, row }] of newest) {
      const run = row.run === null ? null : this.#runId(row.run);
      const id = this.#statements.get<{ id: number }>(
        UPSERT_TYPE,
        name,
        n,
        row.seq,
        row.ts,
        row.time,
        run,
        row.data,
      )?.id;
      if (id !== undefined) this.#types.set(name, id);
    }
    return this.#types;
  }

  /** Types outlive their metrics, so a bot that keeps inventing types gets one for the rest. */
  #typeName(name: string, coming: ReadonlyMap<string, unknown>): string {
    // The ledger knows its rows by their type.
    if (this.#types.has(name) || coming.has(name) || isLedgerType(name)) return name;
    const fresh = [...coming.keys()].filter((other) => !this.#types.has(other)).length;
    if (this.#types.size + fresh < MOST_TYPES) return name;
    this.refusedTypes++;
    return OTHER_TYPE;
  }

  #seriesId(type: number, field: string, symbol: string): number | null {
    const known = this.#series.get(type, symbol, field);
    if (known !== undefined) return known;
    if (this.#series.size >= this.#maxSeries) {
      this.refusedSeries++;
      return null;
    }
    const insert = this.#db.prepare('insert into series(type, field, symbol, n) values(?, ?, ?, 0)');
    const id = Number(insert.run(type, field, symbol).lastInsertRowid);
    this.#series.set(type, symbol, field, id);
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
    const { logs } = batch;
    for (let at = 0; at < logs.count; at++) add(logs.ts[at] ?? 0, (logs.metas[at] ?? 0) & 3);
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

function rollupParams(rows: Iterable<Rollup>): Param[] {
  const params: Param[] = [];
  for (const r of rows) params.push(r.series, r.bucket, r.min, r.max, r.sum, r.n, r.last);
  return params;
}
