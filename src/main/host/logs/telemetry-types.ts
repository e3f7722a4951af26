import type { RunTrigger, TradeMode } from '../../../contract/bot.ts';
import type {
  Ledger,
  LedgerEntries,
  LedgerEntriesQuery,
  LedgerEquity,
  LedgerEquityQuery,
  LedgerOrders,
  LedgerOrdersQuery,
  LedgerProblems,
  LedgerProblemsQuery,
  LedgerQuery,
  LedgerRate,
  LedgerSummaries,
} from '../../../contract/ledger.ts';
import type { LedgerConflicts, LedgerConflictsQuery } from '../../../contract/ledger-upkeep.ts';
import type {
  LiveBatch,
  LogCounts,
  LogEntry,
  LogGroups,
  LogGroupsQuery,
  LogLevel,
  LogPage,
  LogQuery,
  MetricEvent,
  MetricEventsPage,
  MetricEventsQuery,
  MetricOverview,
  SeriesData,
  SeriesQuery,
} from '../../../contract/telemetry.ts';
import type { DuplicateOrder, Rebuilt } from '../ledger/ledger-writer.ts';
import type { LotMethod } from '../ledger/lots.ts';
import type { LedgerListener } from './ledger-watchers.ts';
import type { Retention } from './log-retention.ts';

/** Present activity in the logs of several bots. */
export interface LogActivity {
  readonly items: readonly {
    readonly botId: string;
    readonly errors: number;
    readonly warnings: number;
    readonly symbols: readonly string[];
  }[];
  readonly incomplete: boolean;
}

/** What the log keeps of a run, because the rows of old runs leave the control database. */
export interface RunFacts {
  readonly mode: TradeMode;
  /** Hash of the version that it runs; null where the host does not know it. */
  readonly hash: string | null;
  readonly trigger: RunTrigger;
}

/** One append-only file to tail. The offset already consumed is kept with the rows, so attaching twice loses nothing. */
export interface SpoolFile {
  readonly botId: string;
  readonly runId: string;
  readonly path: string;
  readonly source: 'stdout' | 'stderr' | 'query';
  /** Of the run; absent where nothing is known of it. */
  readonly facts?: RunFacts;
}

/** What guards and rules of alarms judge of a line. */
export type JudgedLine = Pick<LogEntry, 'seq' | 'ts' | 'level' | 'source'>;

/** What guards and rules of alarms judge of the rows of a bot: lines without their text, and metrics. `seq`: the highest that it covers. */
export interface JudgedRows {
  readonly logs: readonly JudgedLine[];
  readonly metrics: readonly MetricEvent[];
  readonly seq: number;
}

/** Where a live stream has cut off its reader. */
export type LiveGap = Extract<LiveBatch, { gap: unknown }>;

/** Rows of a live stream, as clients see them. */
export type LiveRows = Exclude<LiveBatch, LiveGap>;

/** A live reader of one bot. `push` returns false when the reader is full; it is then cut off with a gap. */
interface SinkOf<Rows> {
  /** Called once before the first batch, with the seq before its beginning. */
  start?(seq: number): void;
  push(batch: Rows | LiveGap): boolean;
}

/** A live reader that is given every row of the bot, as clients see it. */
export interface RowSink extends SinkOf<LiveRows> {
  readonly behind?: 'all';
}

/**
 * A live reader for guards and rules of alarms. While it is behind, it is given of stored rows only what these judge (readJudged),
 * which is fast enough to catch up with any bot. Rows that come as they are stored are whole.
 */
export interface JudgedSink extends SinkOf<JudgedRows> {
  readonly behind: 'judged';
}

export type LiveSink = RowSink | JudgedSink;

/**
 * Output of bots: ingest, storage, readers and live streams. Worker threads do the work; every promise settles, with a
 * PlatformError when a database is damaged.
 */
export interface Telemetry {
  /** Names the existing bots: their expired lines are removed even while they do not run. */
  know(botIds: readonly string[]): void;
  /** Sets the secret values to mask in this bot's output from now on. Call before attaching its files. */
  openBot(botId: string, secrets: readonly string[]): Promise<void>;
  /**
   * Sets the source of a bot's present secrets. It is asked before every read, since plainly stored text may have
   * become a secret, even of a bot that does not run. A read fails with its error.
   */
  maskReads(secretsOf: (botId: string) => readonly string[]): void;
  /** Sets how long lines are kept from now on, and how many. */
  setRetention(retention: Retention): void;
  /**
   * Stops storing lines because of this shortage, which people are told; null resumes. Output waits in its files, and
   * reading continues where it stopped.
   */
  pauseIngest(shortage: string | null): void;
  /** Starts tailing a file; after a host restart from the stored offset. */
  attach(file: SpoolFile): Promise<void>;
  /** Bytes of these files that wait to be stored; 0 for a file that is not attached. */
  unread(botId: string, paths: readonly string[]): Promise<number>;
  /** The writers of this run are gone: reads its files to the end, stores all, closes them. Resolves when committed. */
  finish(botId: string, runId: string): Promise<void>;
  /** A line of the host itself in the bot's log (restarts, reasons). */
  hostLine(botId: string, level: LogLevel, message: string, runId: string | null): void;
  /** Removes log and metrics of the bot for good. */
  removeBot(botId: string): Promise<void>;
  /** Live batches after `after` (stored ones first, without gap or repeat); null starts with the next. Returns the end. */
  subscribe(botId: string, after: number | null, sink: LiveSink): Promise<() => void>;
  /** An aborted search ends where it is, as at its deadline. */
  logs(query: LogQuery, signal?: AbortSignal): Promise<LogPage>;
  /** Groups of equal messages; ends as a search does. */
  groups(query: LogGroupsQuery, signal?: AbortSignal): Promise<LogGroups>;
  /** Lines of the last hour and symbols of these bots, in this order, as far as the deadline allows. */
  activity(botIds: readonly string[], signal?: AbortSignal): Promise<LogActivity>;
  summary(botId: string): Promise<LogCounts>;
  metrics(botId: string): Promise<MetricOverview>;
  metricEvents(query: MetricEventsQuery): Promise<MetricEventsPage>;
  series(query: SeriesQuery): Promise<SeriesData>;
  /** The books of a bot. Throws INTERNAL while the ledger is damaged, as the next five do. */
  ledger(query: LedgerQuery): Promise<Ledger>;
  ledgerEntries(query: LedgerEntriesQuery): Promise<LedgerEntries>;
  ledgerProblems(query: LedgerProblemsQuery): Promise<LedgerProblems>;
  /** The newest rate of each pair and mode that these bots wrote. */
  ledgerRates(botIds: readonly string[]): Promise<LedgerRate[]>;
  ledgerConflicts(query: LedgerConflictsQuery): Promise<LedgerConflicts>;
  ledgerOrders(query: LedgerOrdersQuery): Promise<LedgerOrders>;
  ledgerEquity(query: LedgerEquityQuery): Promise<LedgerEquity>;
  /**
   * Makes the books of a bot again, with rows of its log from a time on (ms since the epoch) that they lack; null: without any.
   * Throws INTERNAL while the ledger or the log is damaged, as the next two do.
   */
  rebuildLedger(botId: string, from: number | null): Promise<Rebuilt>;
  /** Counts the units of a bot by another method from now on, and makes its books again. */
  setLedgerMethod(botId: string, method: LotMethod): Promise<Rebuilt>;
  /** Erases the books of a bot for good, with what its log has for them. Returns the number of rows. */
  eraseLedger(botId: string, by: { readonly at: number; readonly user: string }): Promise<number>;
  /** Calls the listener with books that change, at most once a second, until the returned function is called. */
  followLedger(listener: LedgerListener): () => void;
  /** The books of these bots in short, with the profit of today in a time zone, in this order, as far as the deadline allows. */
  ledgerSummaries(botIds: readonly string[], zone: string, signal?: AbortSignal): Promise<LedgerSummaries>;
  /**
   * Sets who records orders of a bot that repeat earlier ones. They come again until one call has returned true, so that a host
   * that is killed meanwhile tells of them all the same.
   */
  onDuplicateOrders(record: (botId: string, orders: readonly DuplicateOrder[]) => boolean): void;
  /** Commits the rows read so far, closes files and databases, ends the workers. */
  close(): Promise<void>;
}
