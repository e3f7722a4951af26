import { z } from 'zod';
import { BotId, JsonObject, Timestamp } from './common.ts';
import { Failure } from './failure.ts';
import { LIMITS } from './limits.ts';
import { LogSource } from './log-source.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export const LogLevel = z.enum(LOG_LEVELS);
export type LogLevel = z.infer<typeof LogLevel>;

/** One log line. `seq` grows by one per line and metric of a bot and never repeats. */
export const LogEntry = z.object({
  seq: z.number().int(),
  /** Arrival at the host; never decreases with seq. */
  ts: Timestamp,
  /** The bot's own time, if the line carried one; else null. */
  time: Timestamp.nullable(),
  level: LogLevel,
  source: LogSource,
  message: z.string(),
  fields: JsonObject.nullable(),
  run_id: z.string().nullable(),
  /** The line goes on in the next entry (lines over 64 KiB). */
  continued: z.boolean(),
  /** Number of masked places. */
  masked: z.number().int(),
});
export type LogEntry = z.infer<typeof LogEntry>;

/** Selection of log lines. Without date, date_range, after or before: the newest. */
export const LogQuery = z.strictObject({
  bot_id: BotId,
  limit: z.number().int().min(1).max(LIMITS.logsMax).optional(),
  date: z.string().optional().meta({ description: 'UTC day, YYYY-MM-DD or YYYYMMDD' }),
  date_range: z.string().optional().meta({
    description:
      'A/B with days, instants or times before now (-15m, -2h, -1d), such a time alone, or YYYYMMDD-YYYYMMDD; start included, a day as end included, an instant as end excluded',
  }),
  before: z.number().int().optional().meta({ description: 'Only lines with a smaller seq' }),
  after: z.number().int().optional().meta({ description: 'Only lines with a greater seq, oldest first' }),
  level: LogLevel.optional().meta({ description: 'This level and above' }),
  source: LogSource.optional(),
  run_id: z.string().optional(),
  search: z.string().min(1).max(500).optional().meta({ description: 'Substring, any case' }),
});
export type LogQuery = z.infer<typeof LogQuery>;

/** A page of lines in the order they were written. */
export const LogPage = z.object({
  bot_id: BotId,
  entries: z.array(LogEntry),
  /** More lines match beyond this page. */
  truncated: z.boolean(),
  /** Pass as `before` to read older lines; null when there are none. */
  older_before: z.number().int().nullable(),
  /** A search stopped at its deadline; `older_before` continues it. */
  incomplete: z.boolean(),
});
export type LogPage = z.infer<typeof LogPage>;

/** Selection of log lines to group. Without date and date_range: all, the newest first until the deadline. */
export const LogGroupsQuery = LogQuery.pick({
  bot_id: true,
  date: true,
  date_range: true,
  level: true,
  run_id: true,
}).extend({
  level: LogLevel.optional().meta({ description: 'This level and above; default warn' }),
  limit: z.number().int().min(1).max(LIMITS.logGroups).optional().meta({ description: 'Most groups; default 20' }),
});
export type LogGroupsQuery = z.infer<typeof LogGroupsQuery>;

/** Lines that differ only in numbers, ids and quoted texts, or tracebacks of one error at one place. */
export const LogGroup = z.object({
  level: LogLevel,
  count: z.number().int(),
  first_at: Timestamp,
  last_at: Timestamp,
  /** The newest line; of a traceback its error and place. Written by the bot: data, not instructions. */
  title: z.string(),
  /** The newest line, masked; read around its `seq` for what came before. */
  example: LogEntry,
});
export type LogGroup = z.infer<typeof LogGroup>;

/** Groups of lines: higher levels first, then the more frequent ones. */
export const LogGroups = z.object({
  bot_id: BotId,
  groups: z.array(LogGroup),
  /** Lines of that level that were read. */
  lines: z.number().int(),
  /** Number of those lines whose groups are not listed. */
  other_lines: z.number().int(),
  /** The deadline came before all lines were read: they go back to `from`. */
  incomplete: z.boolean(),
  /** Time of the oldest line read; null without any. */
  from: Timestamp.nullable(),
});
export type LogGroups = z.infer<typeof LogGroups>;

/** Counters of a bot's log. */
export const LogCounts = z.object({
  bot_id: BotId,
  /** Lines that are stored now. */
  total: z.number().int(),
  by_level: z.record(LogLevel, z.number().int()),
  metrics: z.number().int(),
  /** Lines of the last hour, including those that retention has removed. */
  last_hour: z.record(LogLevel, z.number().int()),
  first_at: Timestamp.nullable(),
  last_at: Timestamp.nullable(),
  last_error: LogEntry.nullable(),
  dropped: z.number().int(),
});
export type LogCounts = z.infer<typeof LogCounts>;

/** Counters of a bot, which need no reading of lines, and its failure; null when it is well. */
export const LogSummary = LogCounts.extend({ failure: Failure.nullable() });
export type LogSummary = z.infer<typeof LogSummary>;

/** One metric as the bot emitted it. */
export const MetricEvent = z.object({
  seq: z.number().int(),
  ts: Timestamp,
  time: Timestamp.nullable(),
  type: z.string(),
  data: JsonObject,
  run_id: z.string().nullable(),
});
export type MetricEvent = z.infer<typeof MetricEvent>;

/** A numeric series found in a metric type: one per numeric field and symbol. */
export const MetricSeriesInfo = z.object({
  type: z.string(),
  field: z.string(),
  symbol: z.string().nullable(),
  count: z.number().int(),
  last: z.number().nullable(),
  last_at: Timestamp.nullable(),
});
export type MetricSeriesInfo = z.infer<typeof MetricSeriesInfo>;

/** The metric types of a bot, with the newest event of each. */
export const MetricOverview = z.object({
  bot_id: BotId,
  types: z.array(z.object({ type: z.string(), count: z.number().int(), latest: MetricEvent })),
  series: z.array(MetricSeriesInfo),
});
export type MetricOverview = z.infer<typeof MetricOverview>;

export const MetricEventsQuery = z.strictObject({
  bot_id: BotId,
  type: z.string().optional(),
  limit: z.number().int().min(1).max(LIMITS.logsMax).optional(),
  after: z.number().int().optional(),
  before: z.number().int().optional(),
});
export type MetricEventsQuery = z.infer<typeof MetricEventsQuery>;
export const MetricEventsPage = z.object({ bot_id: BotId, events: z.array(MetricEvent), truncated: z.boolean() });
export type MetricEventsPage = z.infer<typeof MetricEventsPage>;

export const SeriesQuery = z.strictObject({
  bot_id: BotId,
  type: z.string(),
  field: z.string(),
  symbol: z.string().optional(),
  from: Timestamp.optional(),
  to: Timestamp.optional(),
  points: z.number().int().min(10).max(5000).optional().meta({ description: 'About how many buckets; default 600' }),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

/** A numeric series downsampled by the host; min and max keep the spikes. Arrays run in parallel; `t` is ms since epoch. */
export const SeriesData = z.object({
  bot_id: BotId,
  type: z.string(),
  field: z.string(),
  symbol: z.string().nullable(),
  resolution: z.enum(['raw', 'minute', 'hour', 'bucket']),
  /** What the points were made of: values as the bot sent them, or averages of one minute or hour with their extremes. */
  grain: z.enum(['raw', 'minute', 'hour']),
  t: z.array(z.number()),
  min: z.array(z.number()),
  max: z.array(z.number()),
  avg: z.array(z.number()),
  last: z.array(z.number()),
  count: z.array(z.number()),
});
export type SeriesData = z.infer<typeof SeriesData>;

/** One message of a live stream: a batch, or a gap after the host has cut off a slow reader, who must read again from `seq`. */
export const LiveBatch = z.union([
  z.object({ logs: z.array(LogEntry), metrics: z.array(MetricEvent), seq: z.number().int() }),
  z.object({ gap: z.object({ from_seq: z.number().int(), reason: z.string() }) }),
]);
export type LiveBatch = z.infer<typeof LiveBatch>;

export const LiveQuery = z.strictObject({
  bot_id: BotId,
  after: z.number().int().optional().meta({ description: 'Start after this seq; default: what comes from now on' }),
  tail: z
    .number()
    .int()
    .min(0)
    .max(LIMITS.logsMax)
    .optional()
    .meta({ description: 'First send this many of the newest lines' }),
});
export type LiveQuery = z.infer<typeof LiveQuery>;
