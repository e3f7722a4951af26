import { toTimestampOrNull } from '../../../contract/common.ts';
import type { LogCounts, LogLevel } from '../../../contract/telemetry.ts';
import type { BotLog } from './bot-log.ts';
import type { BotMasker } from './create-bot-masker.ts';
import { COUNT_DROPPED, COUNT_METRIC } from './log-database.ts';
import { maskEntry } from './mask-again.ts';
import { levelNumber, toLogEntry } from './wire-entries.ts';

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
