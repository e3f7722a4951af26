import { type Param, Statements } from '../../../node/statements.ts';
import { damage } from '../../../node/storage-error.ts';
import { BlockCache } from './blocks/block-cache.ts';
import { BlockRows } from './blocks/block-rows.ts';
import type { OnLost } from './blocks/block-table.ts';
import { hasBlocks, hasRunFacts, knownSymbols, type LogDatabase, MOST_SYMBOLS } from './log-database.ts';
import { HOUR, RollupTables } from './rollup-tables.ts';
import { RowTables } from './row-tables.ts';
import type { SegmentRows, StoredMetric } from './stored-row-types.ts';

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

/** How a reader of blocks shares memory with others, and whom it tells of a block that cannot be read. */
export interface ReaderOptions {
  readonly cache: BlockCache;
  readonly onLost: OnLost;
}

/** For reads of heads and tables alone: the reader of the block itself reports that it is lost. */
export const WITHOUT_BLOCKS: ReaderOptions = { cache: new BlockCache(0), onLost: () => undefined };

/** Bytes of the blocks that a reader of its own keeps. */
const OWN_CACHE = 4 * 1024 * 1024;

function alone(): ReaderOptions {
  return {
    cache: new BlockCache(OWN_CACHE),
    onLost: ({ reason }) => {
      throw damage(reason);
    },
  };
}

/**
 * Typed reads of one segment of a log. Every statement runs to its end or is closed at once, because an open one blocks
 * checkpoints.
 */
export class LogReader {
  readonly #db: LogDatabase;
  #hasCheckedNames = false;
  readonly #statements: Statements;
  readonly #rows: SegmentRows;
  /** True if the segment knows the mode, the hash and the trigger of its runs. */
  readonly hasRunFacts: boolean;
  /** Rollups of this segment alone, by its own ids of series. */
  readonly rollups: RollupTables;

  /** Without options, a block that cannot be read is an error (damage). */
  constructor(db: LogDatabase, { cache, onLost } = alone()) {
    this.#db = db;
    this.#statements = new Statements(db);
    this.hasRunFacts = hasRunFacts(db);
    this.#rows = hasBlocks(db)
      ? new BlockRows(this.#statements, cache, onLost, this.hasRunFacts)
      : new RowTables(this.#statements);
    this.rollups = new RollupTables(this.#statements);
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Throws as for a damaged file where the tables of names do not agree with their indexes: they have no checksums, unlike blocks, and
   * an index with a changed byte would leave out series without a word. Looks once for a connection.
   */
  #checkNames(): void {
    if (this.#hasCheckedNames) return;
    for (const table of ['series', 'metric_type']) {
      const found = this.#db.pragma(`integrity_check(${table})`, { simple: true });
      if (found !== 'ok') throw damage(`the names of metrics are damaged (${found})`);
    }
    this.#hasCheckedNames = true;
  }

  /** Reads lines, metrics and points at one moment: a block may be compressed between two statements. */
  rows<Result>(read: (rows: SegmentRows) => Result): Result {
    if (this.#db.inTransaction) return read(this.#rows);
    this.#statements.run('begin');
    try {
      return read(this.#rows);
    } finally {
      // A commit fails once a read has met damage, and what else was read is sound.
      if (this.#db.inTransaction) this.#statements.run('rollback');
    }
  }

  /** Returns the highest seq given out, 0 when nothing was ever stored. */
  lastSeq(): number {
    return this.state('seq') ?? 0;
  }

  state(key: string): number | null {
    return this.#get<{ value: number | null }>('select value from state where key = ?', key)?.value ?? null;
  }

  /** Returns the newest event of each type with the number of events; kept also when retention removed the event itself. */
  metricTypes(): (StoredMetric & { readonly n: number })[] {
    return this.#all(
      `select metric_type.seq, ts, time, metric_type.name as type, run.name as run, null as mode, data, n
       from metric_type left join run on run.id = metric_type.run order by metric_type.name`,
    );
  }

  /** Returns the seq of the newest metric of these types, which may be gone; 0 if there never was one. */
  newestOf(types: readonly string[]): number {
    const marks = types.map(() => '?').join(', ');
    return (
      this.#get<{ seq: number | null }>(`select max(seq) as seq from metric_type where name in (${marks})`, ...types)
        ?.seq ?? 0
    );
  }

  series(): SeriesRow[] {
    this.#checkNames();
    return this.#all<SeriesRow>(
      `select metric_type.name as type, field, symbol, series.n, last, last_at
       from series join metric_type on metric_type.id = series.type order by type, field, symbol`,
    );
  }

  symbols(): string[] {
    this.#checkNames();
    // An earlier release stored symbols only with their series.
    const ofSeries = this.#all<{ symbol: string }>(
      "select distinct symbol from series where symbol <> '' order by symbol limit ?",
      MOST_SYMBOLS,
    );
    const all = new Set([...knownSymbols(this.#statements), ...ofSeries.map(({ symbol }) => symbol)]);
    return [...all].slice(0, MOST_SYMBOLS);
  }

  seriesOf(type: string, field: string): SeriesRow[] {
    this.#checkNames();
    return this.#all<SeriesRow>(
      `select metric_type.name as type, field, symbol, series.n, last, last_at
       from series join metric_type on metric_type.id = series.type
       where metric_type.name = ? and field = ? order by symbol`,
      type,
      field,
    );
  }

  seriesId(name: SeriesName): number | null {
    this.#checkNames();
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
    this.#checkNames();
    return this.#all(
      `select series.id, metric_type.name as type, field, symbol
       from series join metric_type on metric_type.id = series.type where series.id > ? order by series.id`,
      id,
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
