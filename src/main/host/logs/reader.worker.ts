import { BotReaders } from './bot-readers.ts';
import { LedgerForReading } from './ledger-for-reading.ts';
import { readActivity } from './read-activity.ts';
import { readCatchUp, readJudged } from './read-catch-up.ts';
import { readGroups } from './read-groups.ts';
import { readLedger, readLedgerEntries, readLedgerProblems } from './read-ledger.ts';
import { readLedgerConflicts } from './read-ledger-conflicts.ts';
import { readLedgerSummaries } from './read-ledger-summary.ts';
import { readLogs } from './read-logs.ts';
import { readMetricEvents, readMetrics } from './read-metrics.ts';
import { readLedgerEquity, readLedgerOrders } from './read-orders-and-equity.ts';
import { readSeries } from './read-series.ts';
import { readSummary } from './read-summary.ts';
import type { ReaderCalls } from './worker-protocol.ts';
import { workerSide } from './worker-serve.ts';

const side = workerSide<ReaderCalls>();
const { dataDir, clockOffset, rowKey } = side.settings;

const readers = new BotReaders(
  dataDir,
  rowKey,
  (botId, file, ino, message) => side.emit({ event: 'damaged', botId, file, ino, message }),
  (botId, file, lost) => side.emit({ event: 'lost', botId, file, lost }),
);

const books = new LedgerForReading(dataDir, readers);

/** Clocks of bots may be ahead; a rate of next year is a mistake. */
const CLOCKS_MS = 86_400_000;

interface Read {
  stopped: boolean;
}

/** Reads in progress, by ticket. */
const reads = new Map<number, Read>();

async function stoppable<Result>(ticket: number, work: (read: Read) => Promise<Result>): Promise<Result> {
  const read = { stopped: false };
  reads.set(ticket, read);
  try {
    return await work(read);
  } finally {
    reads.delete(ticket);
  }
}

const now = (): number => Date.now() + clockOffset;

side.serve({
  setSecrets: (botId, secrets) => readers.setSecrets(botId, secrets),
  forget: (botId) => readers.forget(botId),
  release: (botId) => readers.release(botId),
  logs: (query, ticket) =>
    stoppable(ticket, (read) =>
      readers.useAsync(query.bot_id, (reader, masker) => readLogs(reader, masker, query, read, now())),
    ),
  groups: (query, ticket) =>
    stoppable(ticket, (read) =>
      readers.useAsync(query.bot_id, (reader, masker) => readGroups(reader, masker, query, read, now())),
    ),
  activity: (botIds, ticket) => stoppable(ticket, (read) => readActivity(readers, botIds, read, now())),
  stop: (ticket) => {
    const read = reads.get(ticket);
    if (read !== undefined) read.stopped = true;
  },
  summary: (botId) => readers.use(botId, (reader, masker) => readSummary(reader, masker, botId, now())),
  metrics: (botId) => readers.use(botId, (reader, masker) => readMetrics(reader, masker, botId)),
  metricEvents: (query) => readers.use(query.bot_id, (reader, masker) => readMetricEvents(reader, masker, query)),
  series: (query) => readers.useAsync(query.bot_id, (reader) => readSeries(reader, query)),
  ledger: (query) => books.read(query.bot_id, (ledger, masker) => readLedger(ledger, masker, query)),
  ledgerEntries: (query) => books.read(query.bot_id, (ledger, masker) => readLedgerEntries(ledger, masker, query)),
  ledgerProblems: (query) => books.read(query.bot_id, (ledger, masker) => readLedgerProblems(ledger, masker, query)),
  ledgerRates: (botIds) => books.rates(botIds, now() + CLOCKS_MS),
  ledgerConflicts: (query) => books.read(query.bot_id, (ledger, masker) => readLedgerConflicts(ledger, masker, query)),
  ledgerOrders: (query) => books.read(query.bot_id, (ledger, masker) => readLedgerOrders(ledger, masker, query)),
  ledgerEquity: (query) => books.read(query.bot_id, (ledger, masker) => readLedgerEquity(ledger, masker, query)),
  ledgerSummaries: (botIds, zone, ticket) =>
    stoppable(ticket, (read) => readLedgerSummaries(books, botIds, read, { now: now(), zone })),
  stored: (botId, after) => readers.use(botId, (reader, masker) => readCatchUp(reader, masker, after)),
  judged: (botId, after) => readers.use(botId, (reader) => readJudged(reader, after)),
  close: () => {
    books.close();
    readers.close();
  },
});
