import type { JsonObject } from '../../../contract/common.ts';
import { LOG_SOURCES, type LogSource } from '../../../contract/log-source.ts';
import { LOG_LEVELS, type LogEntry, type LogLevel, type MetricEvent } from '../../../contract/telemetry.ts';
import { metricData, parseJsonLine } from './classify-json-line.ts';
import { unpackMeta } from './line-meta.ts';
import type { LineFacts, StoredLog, StoredMetric } from './stored-row-types.ts';
import type { JudgedLine } from './telemetry-types.ts';

/** Level and source as the small numbers that are stored. */
export const levelNumber = (level: LogLevel): number => LOG_LEVELS.indexOf(level);
export const sourceNumber = (source: LogSource): number => LOG_SOURCES.indexOf(source);

/** A stored row in its wire form. */
export function toLogEntry(row: StoredLog): LogEntry {
  const meta = unpackMeta(row.meta);
  return {
    seq: row.seq,
    ts: isoTime(row.ts),
    time: row.time === null ? null : isoTime(row.time),
    level: LOG_LEVELS[meta.level] ?? 'info',
    source: LOG_SOURCES[meta.source] ?? 'host',
    message: row.line,
    fields: row.fields === null ? null : parseJsonLine(row.fields),
    run_id: row.run,
    continued: meta.continued,
    masked: meta.masked,
  };
}

/** What guards judge of a stored line. */
export function toJudgedLine({ seq, ts, meta }: LineFacts): JudgedLine {
  const { level, source } = unpackMeta(meta);
  return { seq, ts: isoTime(ts), level: LOG_LEVELS[level] ?? 'info', source: LOG_SOURCES[source] ?? 'host' };
}

/** A stored metric in its wire form. */
export function toMetricEvent(row: Omit<StoredMetric, 'mode'>): MetricEvent {
  const object: JsonObject = parseJsonLine(row.data) ?? {};
  return {
    seq: row.seq,
    ts: isoTime(row.ts),
    time: row.time === null ? null : isoTime(row.time),
    type: row.type,
    data: metricData(object),
    run_id: row.run,
  };
}

let lastMs = Number.NaN;
let lastText = '';

/** Neighbouring rows share their time, so the newest text is kept. */
function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
