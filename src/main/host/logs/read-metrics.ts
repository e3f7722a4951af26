import { toTimestamp } from '../../../contract/common.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { MetricEventsPage, MetricEventsQuery, MetricOverview } from '../../../contract/telemetry.ts';
import type { BotLog } from './bot-log.ts';
import type { BotMasker } from './create-bot-masker.ts';
import { maskEvent } from './mask-again.ts';
import { toMetricEvent } from './wire-entries.ts';

const EVERYTHING = Number.MAX_SAFE_INTEGER;

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
