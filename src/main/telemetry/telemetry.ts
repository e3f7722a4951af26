import type {
  LiveBatch,
  LogCounts,
  LogLevel,
  LogPage,
  LogQuery,
  MetricEventsPage,
  MetricEventsQuery,
  MetricOverview,
  SeriesData,
  SeriesQuery,
} from '../../contract/telemetry.ts';
import type { Retention } from '../store/log-retention.ts';

/** One append-only file to tail. The offset already consumed is kept with the rows, so attaching twice loses nothing. */
export interface SpoolFile {
  readonly botId: string;
  readonly runId: string;
  readonly path: string;
  readonly source: 'stdout' | 'stderr' | 'query';
}

/** A live reader of one bot. `push` returns false when the reader is full; it is then cut off with a gap. */
export interface LiveSink {
  /** Called once before the first batch, with the seq after which it begins. */
  start?(seq: number): void;
  push(batch: LiveBatch): boolean;
}

/**
 * What bots say: ingest, storage, readers and live streams (architecture.md, decision 5). Work happens in a worker
 * thread; every promise settles, also when a database is damaged, with a PlatformError then.
 */
export interface Telemetry {
  /** Names bots that there are: what is too old of their logs goes also while they do not run. */
  know(botIds: readonly string[]): void;
  /** Sets the secret values to mask in everything this bot says from now on. Call before attaching its files. */
  openBot(botId: string, secrets: readonly string[]): Promise<void>;
  /**
   * Names who knows the secret values of a bot as of now. It is asked before every read: what was stored plain may have
   * become a secret since, also of a bot that does not run. A read fails with what it throws.
   */
  maskReads(secretsOf: (botId: string) => readonly string[]): void;
  /** How long lines are kept from now on, and how many. */
  keep(retention: Retention): void;
  /**
   * Stores nothing more of what bots say, because of a shortage that is named to people, until it is null again. Output
   * waits in its files, and is read on from where it was.
   */
  hold(shortage: string | null): void;
  /** Starts tailing a file; also after a host restart, from where the stored offset stands. */
  attach(file: SpoolFile): Promise<void>;
  /** Bytes of these files that wait to be stored; none for a file that is not attached. */
  unread(botId: string, paths: readonly string[]): Promise<number>;
  /** The writers of this run are gone: reads its files to the end, stores all, closes them. Resolves when committed. */
  finish(botId: string, runId: string): Promise<void>;
  /** A line of the host itself in the bot's log (restarts, reasons). */
  hostLine(botId: string, level: LogLevel, message: string, runId: string | null): void;
  /** Removes log and metrics of the bot for good. */
  removeBot(botId: string): Promise<void>;
  /** Live batches after `after` (stored ones first, without gap or repeat); null starts with the next. Returns the end. */
  subscribe(botId: string, after: number | null, sink: LiveSink): Promise<() => void>;
  /** Once the signal is aborted a search ends where it is, as at its deadline: nobody waits for it any more. */
  logs(query: LogQuery, signal?: AbortSignal): Promise<LogPage>;
  summary(botId: string): Promise<LogCounts>;
  metrics(botId: string): Promise<MetricOverview>;
  metricEvents(query: MetricEventsQuery): Promise<MetricEventsPage>;
  series(query: SeriesQuery): Promise<SeriesData>;
  /** Commits what was read, closes files and databases, ends the workers. */
  close(): Promise<void>;
}
