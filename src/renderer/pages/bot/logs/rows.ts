import type { BotEvent } from '../../../../contract/bot.ts';
import type { LogEntry } from '../../../../contract/telemetry.ts';
import { dayOf, type Zone } from './stamps.ts';

/** One row of the list: a line, or a rule between lines. */
export type Row =
  | { readonly kind: 'line'; readonly key: string; readonly seq: number; readonly entry: LogEntry }
  | { readonly kind: 'day'; readonly key: string; readonly seq: number; readonly at: string }
  | { readonly kind: 'run'; readonly key: string; readonly seq: number; readonly runId: string; readonly at: string }
  | { readonly kind: 'event'; readonly key: string; readonly seq: number; readonly event: BotEvent };

/** Changes that get a rule in the log: deployments, changes, and failures. Runs have rules of their own. */
export function marksLog(event: BotEvent): boolean {
  if (event.kind === 'deployed' || event.kind === 'updated') return true;
  return event.kind === 'status' && event.status === 'failed' && event.reason !== null;
}

interface RowInput {
  readonly entries: readonly LogEntry[];
  /** Oldest first. */
  readonly events: readonly BotEvent[];
  readonly zone: Zone;
  /** Nothing is older: what begins with the first line is known to begin there. */
  readonly atStart: boolean;
  /** Nothing is newer: events after the last line stand after it. */
  readonly atEnd: boolean;
}

/** Lines with the rules between them: a new day, a deploy or change, the first line of a run. */
export function toRows({ entries, events, zone, atStart, atEnd }: RowInput): Row[] {
  const rows: Row[] = [];
  const runs = new Set<string>();
  const first = entries[0];
  let next = atStart || first === undefined ? 0 : events.findIndex((event) => event.at >= first.ts);
  if (next === -1) next = events.length;
  let day = '';
  const addEvent = (event: BotEvent, seq: number): void => {
    rows.push({ kind: 'event', key: `event ${event.event_id}`, seq, event });
  };
  for (const [index, entry] of entries.entries()) {
    const { seq, ts, run_id: runId } = entry;
    for (let event = events[next]; event !== undefined && event.at <= ts; event = events[++next]) addEvent(event, seq);
    const today = dayOf(ts, zone);
    // The head of the list names the day of the first row.
    if (today !== day && index > 0) rows.push({ kind: 'day', key: `day ${today}`, seq, at: ts });
    day = today;
    if (runId !== null && !runs.has(runId)) {
      runs.add(runId);
      if (index > 0 || atStart) rows.push({ kind: 'run', key: `run ${runId}`, seq, runId, at: ts });
    }
    rows.push({ kind: 'line', key: String(seq), seq, entry });
  }
  const last = entries.at(-1);
  if (atEnd && last !== undefined) for (const event of events.slice(next)) addEvent(event, last.seq);
  return rows;
}

/** Index of the line with this seq, or the first after it; -1 without any. */
export function rowOf(rows: readonly Row[], seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  while (low < rows.length && rows[low]?.kind !== 'line') low += 1;
  return low < rows.length ? low : rows.findLastIndex((row) => row.kind === 'line');
}
