import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type {
  LogCounts,
  LogLevel,
  MetricEventsPage,
  MetricEventsQuery,
  MetricOverview,
} from '../../../contract/telemetry.ts';
import type { BotLog } from './bot-log.ts';
import type { BotMasker } from './bot-masker.ts';
import { COUNT_DROPPED, COUNT_METRIC } from './log-database.ts';
import { maskEntry, maskEvent } from './mask-again.ts';
import { levelNumber, toLogEntry, toMetricEvent } from './wire-entries.ts';
import type { StoredRows } from './worker-protocol.ts';

/**
 * Rows and characters of one answer to a live stream that catches up. JSON may write a character in six, and readers take
 * an event of 16 Mi characters at most.
 */
const STORED_ROWS = 2000;
const STORED_CHARS = 2 * 1024 * 1024;
const STORED_STEP = 100;
const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** Counters of a bot from what ingest counted; no line is read but the last error. `now` in ms. */
export function readSummary(reader: BotLog | null, masker: BotMasker, botId: string, now: number): LogCounts {
  const totals = reader?.totals() ?? new Map<number, number>();
  const hour = reader?.lastHour(now) ?? new Map<number, number>();
  const byLevel = levels(totals);
  const errorSeq = reader?.lastError() ?? null;
  const error = errorSeq === null ? null : (reader?.logAt(errorSeq) ?? null);
  return {
    bot_id: botId,
    total: Object.values(byLevel).reduce((sum, n) => sum + n, 0),
    by_level: byLevel,
    metrics: totals.get(COUNT_METRIC) ?? 0,
    last_hour: levels(hour),
    first_at: toTimestampOrNull(reader?.firstTs() ?? null),
    last_at: toTimestampOrNull(reader?.lastTs() ?? null),
    last_error: error === null ? null : maskEntry(toLogEntry(error), masker),
    dropped: totals.get(COUNT_DROPPED) ?? 0,
  };
}

function levels(counts: ReadonlyMap<number, number>): Record<LogLevel, number> {
  const of = (level: LogLevel): number => counts.get(levelNumber(level)) ?? 0;
  return { debug: of('debug'), info: of('info'), warn: of('warn'), error: of('error') };
}

/** Every metric type with its newest event, and the numeric series found in them. */
export function readMetrics(reader: BotLog | null, masker: BotMasker, botId: string): MetricOverview {
  const types = (reader?.metricTypes() ?? []).map((row) => ({
    type: row.type,
    count: row.n,
    latest: maskEvent(toMetricEvent(row), masker),
  }));
  const series = (reader?.series() ?? []).map((row) => ({
    type: row.type,
    field: row.field,
    symbol: row.symbol === '' ? null : row.symbol,
    count: row.n,
    last: row.last,
    last_at: row.last_at === null ? null : toTimestamp(row.last_at),
  }));
  return { bot_id: botId, types, series };
}

/** Metric events in the order they were emitted: the newest, or with `after` the oldest beyond it. */
export function readMetricEvents(reader: BotLog | null, masker: BotMasker, query: MetricEventsQuery): MetricEventsPage {
  const limit = query.limit ?? LIMITS.logsDefault;
  const order = query.after === undefined ? 'desc' : 'asc';
  const type = query.type ?? null;
  const rows = reader?.metrics(type, query.after ?? -1, query.before ?? EVERYTHING, order, limit + 1) ?? [];
  const truncated = rows.length > limit;
  const page = rows.slice(0, limit);
  if (order === 'desc') page.reverse();
  return { bot_id: query.bot_id, events: page.map((row) => maskEvent(toMetricEvent(row), masker)), truncated };
}

/** Rows from a seq on, as many as fit one answer, and the seq up to which these are all. */
function fitting<T extends { readonly seq: number }>(
  from: number,
  last: number,
  read: (from: number) => readonly T[],
  charsOf: (row: T) => number,
): { readonly rows: readonly T[]; readonly end: number } {
  const rows: T[] = [];
  let chars = 0;
  for (let at = from; ; ) {
    const step = read(at);
    for (const row of step) {
      rows.push(row);
      chars += charsOf(row);
      if (rows.length >= STORED_ROWS || chars >= STORED_CHARS) return { rows, end: row.seq };
    }
    const newest = step.at(-1);
    if (step.length < STORED_STEP || newest === undefined) return { rows, end: last };
    at = newest.seq + 1;
  }
}

/** Lines and metrics after a seq, without a hole up to the returned `seq`, as many as fit one answer. */
export function readStored(reader: BotLog | null, masker: BotMasker, after: number): StoredRows {
  if (reader === null) return { logs: [], metrics: [], seq: after };
  // Read once: rows committed while this runs belong to the next answer.
  const last = reader.lastSeq();
  const none = { minLevel: undefined, source: undefined, run: undefined, like: undefined };
  const lines = fitting(
    after + 1,
    last,
    (lo) => (lo > last ? [] : reader.logs({ lo, hi: last + 1 }, none, 'asc', STORED_STEP)),
    (row) => row.line.length + (row.fields?.length ?? 0),
  );
  const metrics = fitting(
    after + 1,
    lines.end,
    (at) => reader.metrics(null, at - 1, lines.end + 1, 'asc', STORED_STEP),
    (row) => row.data.length,
  );
  const { end } = metrics;
  return {
    logs: lines.rows.filter(({ seq }) => seq <= end).map((row) => maskEntry(toLogEntry(row), masker)),
    metrics: metrics.rows.map((row) => maskEvent(toMetricEvent(row), masker)),
    seq: Math.max(after, end),
  };
}
