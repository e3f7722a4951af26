import type { LogEntry, LogPage } from '../../../../../../src/contract/telemetry.ts';

/** A line of a log for tests; a second apart from its neighbours. */
export function entryOf(seq: number, change: Partial<LogEntry> = {}): LogEntry {
  return {
    seq,
    ts: new Date(Date.UTC(2026, 8, 30, 12, 0, seq)).toISOString(),
    time: null,
    level: 'info',
    source: 'stdout',
    message: `line ${seq}`,
    fields: null,
    run_id: 'run_1',
    continued: false,
    masked: 0,
    ...change,
  };
}

export const entriesOf = (from: number, to: number): LogEntry[] =>
  Array.from({ length: to - from + 1 }, (_, i) => entryOf(from + i));

export const pageOf = (entries: LogEntry[], change: Partial<LogPage> = {}): LogPage => ({
  bot_id: 'bot_1',
  entries,
  truncated: false,
  older_before: null,
  incomplete: false,
  ...change,
});
