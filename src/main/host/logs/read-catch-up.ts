import type { BotLog } from './bot-log.ts';
import type { BotMasker } from './bot-masker.ts';
import { maskEntry, maskEvent } from './mask-again.ts';
import { toLogEntry, toMetricEvent } from './wire-entries.ts';
import type { StoredRows } from './worker-protocol.ts';

/**
 * Rows and characters of one answer to a live stream that catches up. JSON may write a character in six, and readers take
 * an event of 16 Mi characters at most.
 */
const STORED_ROWS = 2000;
const STORED_CHARS = 2 * 1024 * 1024;
const STORED_STEP = 100;

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
export function readCatchUp(reader: BotLog | null, masker: BotMasker, after: number): StoredRows {
  if (reader === null) return { logs: [], metrics: [], seq: after };
  // Read once: rows committed while this runs belong to the next answer.
  const last = reader.lastSeq();
  const none = { minLevel: undefined, source: undefined, run: undefined, search: undefined };
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
