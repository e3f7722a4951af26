import { type ErrorBody, PlatformError } from '../../../contract/errors.ts';
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
import { isDiskFull } from '../../../node/storage-error.ts';
import type { DuplicateOrder, Rebuilt } from '../ledger/ledger-writer.ts';
import type { LotMethod } from '../ledger/lots.ts';
import type { LostPart } from './blocks/block-table.ts';
import type { ChangedBook } from './ledger-changes.ts';
import type { Retention } from './log-retention.ts';
import type { JudgedRows, LogActivity, SpoolFile } from './telemetry-types.ts';

/** Start settings of both workers. */
export interface WorkerSettings {
  readonly dataDir: string;
  readonly retention: Retention;
  /** Fixed offset between the host's clock and the system's, ms; 0 in the product. */
  readonly clockOffset: number;
  /** Keeps masked ids of rows of the ledger different (createBotMasker). */
  readonly rowKey: string;
}

/** Calls that the ingest worker answers. */
export interface IngestCalls {
  know(botIds: readonly string[]): void;
  openBot(botId: string, secrets: readonly string[]): void;
  setRetention(retention: Retention): void;
  pauseIngest(shortage: string | null): void;
  attach(file: SpoolFile): void;
  unread(botId: string, paths: readonly string[]): number;
  finish(botId: string, runId: string): Promise<void>;
  removeBot(botId: string): void;
  /** Starts batches of this bot; answers with the last committed seq: every later row comes in a batch. */
  watch(botId: string): number;
  unwatch(botId: string): void;
  hostLine(botId: string, level: LogLevel, message: string, runId: string | null): void;
  /** The host has told of duplicates of orders of the bot up to a seq: they come no more. */
  toldDuplicates(botId: string, upTo: number): void;
  /** Starts events with the books that change, or ends them. */
  watchLedger(isWatched: boolean): void;
  /** BotFeed.rebuild */
  rebuildLedger(botId: string, from: number | null): Rebuilt;
  /** BotFeed.setMethod */
  setLedgerMethod(botId: string, method: LotMethod): Rebuilt;
  /** BotFeed.erase */
  eraseLedger(botId: string, by: { readonly at: number; readonly user: string }): number;
  /**
   * Confirms a batch; the worker keeps few batches unconfirmed, so that a busy main thread never gets too many
   * messages.
   */
  acknowledge(botId: string): void;
  /**
   * Reports a damaged database that the reader found; `ino` identifies the file of that name, which may have been
   * replaced since.
   */
  damaged(botId: string, file: string, ino: number, message: string): void;
  /** Reports a part of a segment that cannot be read. The bot's log says so once. */
  lost(botId: string, file: string, lost: LostPart): void;
  close(): void;
}

/** Stored rows of a bot after a seq, in order, for a live stream that catches up. */
export interface StoredRows {
  readonly logs: LogEntry[];
  readonly metrics: MetricEvent[];
  /** Highest seq that the arrays cover. */
  readonly seq: number;
}

/** Calls that the reader worker answers. */
export interface ReaderCalls {
  /** Sets the secrets to mask in every later read of this bot. */
  setSecrets(botId: string, secrets: readonly string[]): void;
  /** Closes the bot's connections, so that its files can be removed. */
  forget(botId: string): void;
  /** Closes the bot's connections; the next read opens what it needs. */
  release(botId: string): void;
  /** Reads a page of lines. `ticket` is the caller's own number for this read. */
  logs(query: LogQuery, ticket: number): Promise<LogPage>;
  groups(query: LogGroupsQuery, ticket: number): Promise<LogGroups>;
  activity(botIds: readonly string[], ticket: number): Promise<LogActivity>;
  /** Ends a read with its partial result, because its caller has gone. */
  stop(ticket: number): void;
  summary(botId: string): LogCounts;
  metrics(botId: string): MetricOverview;
  metricEvents(query: MetricEventsQuery): MetricEventsPage;
  series(query: SeriesQuery): Promise<SeriesData>;
  ledger(query: LedgerQuery): Ledger;
  ledgerEntries(query: LedgerEntriesQuery): LedgerEntries;
  ledgerProblems(query: LedgerProblemsQuery): LedgerProblems;
  ledgerRates(botIds: readonly string[]): LedgerRate[];
  ledgerConflicts(query: LedgerConflictsQuery): LedgerConflicts;
  ledgerOrders(query: LedgerOrdersQuery): LedgerOrders;
  ledgerEquity(query: LedgerEquityQuery): LedgerEquity;
  ledgerSummaries(botIds: readonly string[], zone: string, ticket: number): Promise<LedgerSummaries>;
  stored(botId: string, after: number): StoredRows;
  /** The same of what guards judge. */
  judged(botId: string, after: number): JudgedRows;
  close(): void;
}

/** Messages that workers send unasked. */
export type WorkerEvent =
  | { readonly event: 'ready' }
  /** Rows first..seq of a watched bot, committed; without gap unless `missed`. */
  | {
      readonly event: 'batch';
      readonly botId: string;
      readonly first: number;
      readonly seq: number;
      readonly logs: LogEntry[];
      readonly metrics: MetricEvent[];
    }
  /** Rows up to `seq` were committed but not sent, as too many batches were on the way. */
  | { readonly event: 'skipped'; readonly botId: string; readonly seq: number }
  | {
      readonly event: 'damaged';
      readonly botId: string;
      readonly file: string;
      readonly ino: number;
      readonly message: string;
    }
  | { readonly event: 'lost'; readonly botId: string; readonly file: string; readonly lost: LostPart }
  /** Readers must close a file of this bot before it can be removed. */
  | { readonly event: 'release'; readonly botId: string }
  /** Orders that repeat earlier ones, oldest first. */
  | { readonly event: 'duplicates'; readonly botId: string; readonly orders: readonly DuplicateOrder[] }
  /** Books that have changed, at most once a second. */
  | { readonly event: 'ledger'; readonly changed: readonly ChangedBook[] }
  | { readonly event: 'report'; readonly message: string; readonly botId: string | null };

export interface CallMessage {
  /** Null if no answer is wanted. */
  readonly id: number | null;
  readonly call: string;
  readonly args: readonly unknown[];
}

export type AnswerMessage =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: ErrorBody };

/** Returns the message of an error with its code: SQLite reports thirty different errors as "disk I/O error". */
function told(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof Error && 'code' in error ? `${message} (${String(error.code)})` : message;
}

/** Converts an error to plain data, for messages between threads. */
export function errorToBody(error: unknown): ErrorBody {
  if (error instanceof PlatformError) return error.toBody();
  if (isDiskFull(error)) return new PlatformError('STORAGE_FULL', 'No space is left to work with the log').toBody();
  return new PlatformError('INTERNAL', `The log store failed: ${told(error)}`).toBody();
}

export function errorFromBody(body: ErrorBody): PlatformError {
  return new PlatformError(body.code, body.message, { hint: body.hint ?? undefined, details: body.details });
}
