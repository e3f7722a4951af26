import type { BotLog } from './bot-log.ts';
import type { BotMasker } from './create-bot-masker.ts';
import { unpackMeta } from './line-meta.ts';
import { maskEntry, maskEvent } from './mask-again.ts';
import { UNFILTERED } from './read-logs.ts';
import type { LineFacts, LogFilter, StoredMetric } from './stored-row-types.ts';
import type { JudgedRows } from './telemetry-types.ts';
import { levelNumber, sourceNumber, toJudgedLine, toLogEntry, toMetricEvent } from './wire-entries.ts';
import type { StoredRows } from './worker-protocol.ts';

/**
 * Rows and characters of one answer to a live stream that catches up. JSON may write a character in six, and readers take
 * an event of 16 Mi characters at most.
 */
const STORED_ROWS = 2000;
const STORED_CHARS = 2 * 1024 * 1024;
const STORED_STEP = 100;
/** Rows that one answer of what is judged covers: so few that other reads wait for milliseconds only. */
const JUDGED_ROWS = 50_000;

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

/**
 * Metrics after a seq up to the returned one, lines of level error, and the newest line of a program, as many as fit one answer. That
 * is fast however many lines a bot prints, because the text of none is read. Nothing is masked again, as nothing of it is shown: the
 * rows are as they came when they were stored.
 */
export function readJudged(reader: BotLog | null, after: number): JudgedRows {
  if (reader === null) return { logs: [], metrics: [], seq: after };
  const end = reader.lastSeq();
  // After damage, very many seqs may be missing in between.
  const part = reader.part({ lo: after + 1, hi: end + 1 }, 'asc', JUDGED_ROWS);
  if (part === null) return { logs: [], metrics: [], seq: Math.max(after, end) };
  const errors = reader.lineFacts({ lo: after + 1, hi: part.hi }, ERRORS, 'asc', STORED_ROWS);
  const last = errors.length < STORED_ROWS ? part.hi - 1 : (errors.at(-1)?.seq ?? after);
  const metrics = readMetrics(reader, after, last);
  const seq = Math.max(after, metrics.end);
  const logs = errors.filter((line) => line.seq <= seq);
  const newest = newestOfProgram(reader, after, seq);
  if (newest !== null && !logs.some((line) => line.seq === newest.seq)) logs.push(newest);
  return {
    logs: logs.sort((a, b) => a.seq - b.seq).map(toJudgedLine),
    metrics: metrics.rows.map(toMetricEvent),
    seq,
  };
}

const ERRORS: LogFilter = { ...UNFILTERED, minLevel: levelNumber('error') };
const HOST = sourceNumber('host');

/** The newest line after one seq up to another that a program wrote. */
function newestOfProgram(reader: BotLog, after: number, last: number): LineFacts | null {
  for (let hi = last + 1; hi > after + 1; ) {
    const step = reader.lineFacts({ lo: after + 1, hi }, UNFILTERED, 'desc', STORED_STEP);
    const own = step.find(({ meta }) => unpackMeta(meta).source !== HOST);
    const oldest = step.at(-1);
    if (own !== undefined || oldest === undefined || step.length < STORED_STEP) return own ?? null;
    hi = oldest.seq;
  }
  return null;
}

/** Lines and metrics after a seq, without a hole up to the returned `seq`, as many as fit one answer. */
export function readCatchUp(reader: BotLog | null, masker: BotMasker, after: number): StoredRows {
  if (reader === null) return { logs: [], metrics: [], seq: after };
  // Read once: rows committed while this runs belong to the next answer.
  const last = reader.lastSeq();
  const lines = fitting(
    after + 1,
    last,
    (lo) => (lo > last ? [] : reader.logs({ lo, hi: last + 1 }, UNFILTERED, 'asc', STORED_STEP)),
    (row) => row.line.length + (row.fields?.length ?? 0),
  );
  const metrics = readMetrics(reader, after, lines.end);
  const { end } = metrics;
  return {
    logs: lines.rows.filter(({ seq }) => seq <= end).map((row) => maskEntry(toLogEntry(row), masker)),
    metrics: metrics.rows.map((row) => maskEvent(toMetricEvent(row), masker)),
    seq: Math.max(after, end),
  };
}

/** Metrics after a seq up to another, as many as fit one answer, and the seq up to which these are all. */
function readMetrics(reader: BotLog, after: number, last: number): { rows: readonly StoredMetric[]; end: number } {
  return fitting(
    after + 1,
    last,
    (at) => reader.metrics(null, at - 1, last + 1, 'asc', STORED_STEP),
    (row) => row.data.length,
  );
}
