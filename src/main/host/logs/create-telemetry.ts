import { createHmac } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { LedgerSummaries } from '../../../contract/ledger.ts';
import type { LogGroups, LogGroupsQuery, LogPage, LogQuery } from '../../../contract/telemetry.ts';
import { openHostKey } from '../../../node/host-key.ts';
import { workerUrl } from '../../../node/worker-url.ts';
import type { DuplicateOrder } from '../ledger/ledger-writer.ts';
import { LedgerWatchers } from './ledger-watchers.ts';
import { LiveHub } from './live-hub.ts';
import type { Retention } from './log-retention.ts';
import type { LogActivity, SpoolFile, Telemetry } from './telemetry-types.ts';
import { type StartWorker, WorkerLink } from './worker-link.ts';
import type { IngestCalls, ReaderCalls, WorkerEvent, WorkerSettings } from './worker-protocol.ts';

/** Default retention of logs per bot; whichever limit is reached first applies (docs/hosting.md#settings). */
export const DEFAULT_RETENTION: Retention = { days: 30, bytes: 512 * 1024 * 1024 };

export interface TelemetryOptions {
  /** The host's data folder; a bot's log is `bots/<bot_id>/log*.db` in it. */
  readonly dataDir: string;
  readonly retention?: Retention;
  /** Clock of the host in ms. The workers copy its offset from the system clock once, at start. */
  readonly now?: () => number;
  /** Receives background faults: a worker that died, a full disk, a damaged log. They lose no lines. */
  readonly onError?: (error: Error) => void;
  /** Starts a worker thread. */
  readonly startWorker?: StartWorker;
}

/**
 * Starts the two workers: one owns spool files and writes, the other answers reads, so that neither a flood nor a long
 * search ever holds up the main thread.
 * @throws PlatformError INTERNAL when a worker cannot start
 */
export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const settings: WorkerSettings = {
    dataDir: options.dataDir,
    retention: options.retention ?? DEFAULT_RETENTION,
    clockOffset: options.now === undefined ? 0 : Math.round(options.now() - Date.now()),
    rowKey: createHmac('sha256', await openHostKey(options.dataDir))
      .update('ids of ledger rows')
      .digest('hex'),
  };
  const telemetry = new WorkerTelemetry(settings, options);
  await telemetry.start();
  return telemetry;
}

class WorkerTelemetry implements Telemetry {
  readonly #ingest: WorkerLink<IngestCalls>;
  readonly #reader: WorkerLink<ReaderCalls>;
  readonly #hub: LiveHub;
  readonly #watchers: LedgerWatchers;
  readonly #onError: (error: Error) => void;
  /** State that is sent again to a restarted worker: bots, their secrets and their files. */
  readonly #known = new Set<string>();
  readonly #secrets = new Map<string, readonly string[]>();
  readonly #files = new Map<string, SpoolFile>();
  readonly #readerSecrets = new Map<string, readonly string[]>();
  #retention: Retention;
  #shortage: string | null = null;
  /** Number of the last read of a log. */
  #tickets = 0;
  #secretsOf: (botId: string) => readonly string[] = () => [];
  #recordDuplicates: (botId: string, orders: readonly DuplicateOrder[]) => boolean = () => false;

  constructor(settings: WorkerSettings, options: TelemetryOptions) {
    this.#retention = settings.retention;
    this.#onError = options.onError ?? ((error) => process.emitWarning(error));
    const common = {
      settings,
      start: options.startWorker ?? ((url, workerOptions) => new Worker(url, workerOptions)),
      onEvent: (event: WorkerEvent) => this.#onEvent(event),
      onError: this.#onError,
    };
    this.#ingest = new WorkerLink<IngestCalls>({
      ...common,
      url: workerUrl('ingest', import.meta.url),
      onRestart: () => {
        queueMicrotask(() => {
          this.#hub.rewatch();
          this.#watchers.tell(null);
        });
        return [
          ['setRetention', this.#retention] as const,
          ['pauseIngest', this.#shortage] as const,
          ['watchLedger', this.#watchers.isWatched] as const,
          ['know', [...this.#known]] as const,
          ...[...this.#secrets].map(([botId, secrets]) => ['openBot', botId, secrets] as const),
          ...[...this.#files.values()].map((file) => ['attach', file] as const),
        ];
      },
    });
    this.#reader = new WorkerLink<ReaderCalls>({
      ...common,
      url: workerUrl('reader', import.meta.url),
      onRestart: () => [...this.#readerSecrets].map(([botId, secrets]) => ['setSecrets', botId, secrets] as const),
    });
    this.#watchers = new LedgerWatchers((isWatched) => this.#ingest.tell('watchLedger', isWatched));
    this.#hub = new LiveHub({
      watch: (botId) => this.#ingest.call('watch', botId),
      unwatch: (botId) => this.#ingest.tell('unwatch', botId),
      acknowledge: (botId) => this.#ingest.tell('acknowledge', botId),
      stored: async (botId, after) => this.#readerOf(botId).call('stored', botId, after),
      judged: (botId, after) => this.#reader.call('judged', botId, after),
      onError: this.#onError,
    });
  }

  async start(): Promise<void> {
    const started = await Promise.allSettled([this.#ingest.start(), this.#reader.start()]);
    const failed = started.find((result) => result.status === 'rejected');
    if (failed === undefined) return;
    await this.close();
    throw failed.reason;
  }

  know(botIds: readonly string[]): void {
    for (const botId of botIds) this.#known.add(botId);
    this.#ingest.tell('know', botIds);
  }

  async openBot(botId: string, secrets: readonly string[]): Promise<void> {
    this.#secrets.set(botId, [...secrets]);
    await this.#ingest.call('openBot', botId, secrets);
  }

  maskReads(secretsOf: (botId: string) => readonly string[]): void {
    this.#secretsOf = secretsOf;
  }

  onDuplicateOrders(record: (botId: string, orders: readonly DuplicateOrder[]) => boolean): void {
    this.#recordDuplicates = record;
  }

  setRetention(retention: Retention): void {
    this.#retention = retention;
    this.#ingest.tell('setRetention', retention);
  }

  pauseIngest(shortage: string | null): void {
    this.#shortage = shortage;
    this.#ingest.tell('pauseIngest', shortage);
  }

  async attach(file: SpoolFile): Promise<void> {
    this.#files.set(file.path, file);
    await this.#ingest.call('attach', file);
  }

  unread: Telemetry['unread'] = (botId, paths) => this.#ingest.call('unread', botId, paths);

  async finish(botId: string, runId: string): Promise<void> {
    await this.#ingest.call('finish', botId, runId);
    for (const [path, file] of this.#files) {
      if (file.botId === botId && file.runId === runId) this.#files.delete(path);
    }
  }

  hostLine: Telemetry['hostLine'] = (botId, level, message, runId) =>
    this.#ingest.tell('hostLine', botId, level, message, runId);

  async removeBot(botId: string): Promise<void> {
    this.#hub.drop(botId);
    this.#known.delete(botId);
    this.#secrets.delete(botId);
    this.#readerSecrets.delete(botId);
    for (const [path, file] of this.#files) if (file.botId === botId) this.#files.delete(path);
    // The reader closes its files first, because some systems cannot remove an open file.
    await this.#reader.call('forget', botId);
    await this.#ingest.call('removeBot', botId);
  }

  async logs(query: LogQuery, signal?: AbortSignal): Promise<LogPage> {
    return this.#stoppable(this.#readerOf(query.bot_id), signal, (reader, ticket) =>
      reader.call('logs', query, ticket),
    );
  }

  async groups(query: LogGroupsQuery, signal?: AbortSignal): Promise<LogGroups> {
    return this.#stoppable(this.#readerOf(query.bot_id), signal, (reader, ticket) =>
      reader.call('groups', query, ticket),
    );
  }

  subscribe: Telemetry['subscribe'] = (botId, after, sink) => this.#hub.subscribe(botId, after, sink);
  summary: Telemetry['summary'] = async (botId) => this.#readerOf(botId).call('summary', botId);
  metrics: Telemetry['metrics'] = async (botId) => this.#readerOf(botId).call('metrics', botId);
  metricEvents: Telemetry['metricEvents'] = async (query) => this.#readerOf(query.bot_id).call('metricEvents', query);
  series: Telemetry['series'] = (query) => this.#reader.call('series', query);
  ledger: Telemetry['ledger'] = async (query) => this.#readerOf(query.bot_id).call('ledger', query);
  ledgerEntries: Telemetry['ledgerEntries'] = async (query) =>
    this.#readerOf(query.bot_id).call('ledgerEntries', query);
  ledgerProblems: Telemetry['ledgerProblems'] = async (query) =>
    this.#readerOf(query.bot_id).call('ledgerProblems', query);
  followLedger: Telemetry['followLedger'] = (listener) => this.#watchers.add(listener);
  ledgerRates: Telemetry['ledgerRates'] = (botIds) => this.#reader.call('ledgerRates', botIds);
  ledgerConflicts: Telemetry['ledgerConflicts'] = async (query) =>
    this.#readerOf(query.bot_id).call('ledgerConflicts', query);
  rebuildLedger: Telemetry['rebuildLedger'] = (botId, from) => this.#ingest.call('rebuildLedger', botId, from);
  setLedgerMethod: Telemetry['setLedgerMethod'] = (botId, method) =>
    this.#ingest.call('setLedgerMethod', botId, method);
  eraseLedger: Telemetry['eraseLedger'] = (botId, by) => this.#ingest.call('eraseLedger', botId, by);
  ledgerOrders: Telemetry['ledgerOrders'] = async (query) => this.#readerOf(query.bot_id).call('ledgerOrders', query);
  ledgerEquity: Telemetry['ledgerEquity'] = async (query) => this.#readerOf(query.bot_id).call('ledgerEquity', query);

  async ledgerSummaries(botIds: readonly string[], zone: string, signal?: AbortSignal): Promise<LedgerSummaries> {
    const failed = new Set(botIds.filter((botId) => !this.#canRead(botId)));
    const readable = botIds.filter((botId) => !failed.has(botId));
    const { items, incomplete } = await this.#stoppable(this.#reader, signal, (reader, ticket) =>
      reader.call('ledgerSummaries', readable, zone, ticket),
    );
    return { items: [...items, ...[...failed].map((bot_id) => ({ bot_id, ledger: null }))], incomplete };
  }

  /** False for a bot whose secrets cannot be told: nothing of it is read, and the answer says so. */
  #canRead(botId: string): boolean {
    try {
      this.#readerOf(botId);
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#ingest.close('close'), this.#reader.close('close')]);
  }

  activity(botIds: readonly string[], signal?: AbortSignal): Promise<LogActivity> {
    for (const botId of botIds) this.#readerOf(botId);
    return this.#stoppable(this.#reader, signal, (reader, ticket) => reader.call('activity', botIds, ticket));
  }

  /** Runs a read that returns its partial result once its caller has gone. */
  async #stoppable<Result>(
    reader: WorkerLink<ReaderCalls>,
    signal: AbortSignal | undefined,
    read: (reader: WorkerLink<ReaderCalls>, ticket: number) => Promise<Result>,
  ): Promise<Result> {
    const ticket = ++this.#tickets;
    const stop = (): void => reader.tell('stop', ticket);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await read(reader, ticket);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /**
   * Returns the reader, with the secrets to mask in this bot's lines: those of its programs' starts, and the present
   * ones.
   */
  #readerOf(botId: string): WorkerLink<ReaderCalls> {
    const secrets = [...new Set([...(this.#secrets.get(botId) ?? []), ...this.#secretsOf(botId)])];
    const told = this.#readerSecrets.get(botId) ?? [];
    if (secrets.length !== told.length || secrets.some((secret, index) => secret !== told[index])) {
      this.#readerSecrets.set(botId, secrets);
      this.#reader.tell('setSecrets', botId, secrets);
    }
    return this.#reader;
  }

  #duplicates(botId: string, orders: readonly DuplicateOrder[]): void {
    const last = orders.at(-1);
    if (last !== undefined && this.#recordDuplicates(botId, orders))
      this.#ingest.tell('toldDuplicates', botId, last.seq);
  }

  #onEvent(event: WorkerEvent): void {
    if (event.event === 'batch') this.#hub.committed(event);
    else if (event.event === 'skipped') this.#hub.skipped(event.botId, event.seq);
    else if (event.event === 'damaged') this.#ingest.tell('damaged', event.botId, event.file, event.ino, event.message);
    else if (event.event === 'lost') this.#ingest.tell('lost', event.botId, event.file, event.lost);
    else if (event.event === 'release') this.#reader.tell('release', event.botId);
    else if (event.event === 'ledger') this.#watchers.tell(event.changed);
    else if (event.event === 'duplicates') this.#duplicates(event.botId, event.orders);
    else if (event.event === 'report') {
      this.#onError(new Error(event.botId === null ? event.message : `${event.botId}: ${event.message}`));
    }
  }
}
