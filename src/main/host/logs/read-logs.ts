import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../../../contract/limits.ts';
import type { LogEntry, LogPage, LogQuery } from '../../../contract/telemetry.ts';
import type { BotLog } from './bot-log.ts';
import type { BotMasker } from './create-bot-masker.ts';
import { queryRange } from './date-range.ts';
import { maskEntry } from './mask-again.ts';
import type { LogFilter, SeqRange, StoredLog } from './stored-row-types.ts';
import { levelNumber, sourceNumber, toLogEntry } from './wire-entries.ts';

/** A search returns what it has found by then, marked as incomplete. */
export const DEADLINE_MS = 1500;
/** Range of seq that one step looks at; other reads get their turn between two steps. Quick steps make the next ones longer. */
export const STEP = 20_000;
const LONGEST_STEP = 4 * STEP;
const QUICK_MS = 5;
/** Lines may be long and slow to mask: other reads get their turn after this many ms, too. */
const TURN_MS = 25;
/** A page ends here whatever its limit: 1,000 lines can be 64 MiB. */
const PAGE_CHARS = 8 * 1024 * 1024;
export const UNFILTERED: LogFilter = { minLevel: undefined, source: undefined, run: undefined, search: undefined };

interface Found {
  /** In scan order. */
  readonly entries: LogEntry[];
  /** More rows match beyond the last one. */
  readonly more: boolean;
  /** The deadline came first; rows up to this seq were looked at. */
  readonly stoppedAt: number | null;
}

/**
 * A page of a bot's log (contract LogQuery): the newest lines that match, or with `after` the oldest ones beyond it,
 * always in the order they were written. Steps through the log from its end with a deadline, so that an expensive
 * filter never blocks other readers. A stopped `read` ends as at its deadline. Relative times count from `now`.
 */
export async function readLogs(
  reader: BotLog | null,
  masker: BotMasker,
  query: LogQuery,
  read: { readonly stopped: boolean },
  now: number,
): Promise<LogPage> {
  const time = queryRange(query, now);
  const bounds = reader?.logBounds() ?? null;
  const empty = { bot_id: query.bot_id, entries: [], truncated: false, older_before: null, incomplete: false };
  if (reader === null || bounds === null) return empty;
  const floor = time === null ? bounds.lo : reader.seqAt(time.from, bounds);
  const ceiling = time === null ? bounds.hi : reader.seqAt(time.to, bounds);
  const range = { lo: Math.max(floor, (query.after ?? -1) + 1), hi: Math.min(ceiling, query.before ?? ceiling) };
  const order = query.after === undefined ? 'desc' : 'asc';
  const found = await scan(reader, masker, query, range, order, read);
  const entries = order === 'desc' ? found.entries.reverse() : found.entries;
  const incomplete = found.stoppedAt !== null;
  return {
    bot_id: query.bot_id,
    entries,
    truncated: found.more || incomplete,
    older_before: olderBefore(reader, entries, found, order, floor),
    incomplete,
  };
}

/** For a search that went forward and found nothing in time: go on with `after` one below this. */
function olderBefore(
  reader: BotLog,
  entries: readonly LogEntry[],
  found: Found,
  order: 'asc' | 'desc',
  floor: number,
): number | null {
  const first = entries[0];
  if (order === 'desc') {
    if (found.stoppedAt !== null) return found.stoppedAt;
    return found.more && first !== undefined ? first.seq : null;
  }
  if (first === undefined) return found.stoppedAt;
  return first.seq > floor && reader.hasLogBefore(first.seq) ? first.seq : null;
}

async function scan(
  reader: BotLog,
  masker: BotMasker,
  query: LogQuery,
  range: SeqRange,
  order: 'asc' | 'desc',
  read: { readonly stopped: boolean },
): Promise<Found> {
  const limit = query.limit ?? LIMITS.logsDefault;
  const filter = filterOf(query);
  const deadline = performance.now() + DEADLINE_MS;
  const accept = matcher(query.search);
  const entries: LogEntry[] = [];
  let chars = 0;
  let { lo, hi } = range;
  let size = STEP;
  const isOver = (): boolean => read.stopped || performance.now() > deadline;
  while (lo < hi) {
    const begun = performance.now();
    const step = reader.part({ lo, hi }, order, size);
    if (step === null) break;
    const wanted = Math.min(limit - entries.length + 1, 200);
    const rows = reader.logs(step, filter, order, wanted);
    // From here on, because at least one line must be read, or a reader would never advance.
    let turn = performance.now();
    size = turn - begun < QUICK_MS ? Math.min(2 * size, LONGEST_STEP) : STEP;
    for (const row of rows) {
      if (performance.now() - turn > TURN_MS) {
        await nextTurn();
        turn = performance.now();
        if (isOver()) return { entries, more: false, stoppedAt: order === 'desc' ? row.seq + 1 : row.seq };
      }
      const entry = maskEntry(toLogEntry(row), masker);
      if (!accept(entry)) continue;
      if (entries.length === limit || (chars > PAGE_CHARS && entries.length > 0)) {
        return { entries, more: true, stoppedAt: null };
      }
      entries.push(entry);
      chars += charsOf(row);
    }
    const last = rows.length === wanted ? rows.at(-1) : undefined;
    if (order === 'desc') hi = last?.seq ?? step.lo;
    else lo = last === undefined ? step.hi : last.seq + 1;
    if (lo >= hi) break;
    if (isOver()) return { entries, more: false, stoppedAt: order === 'desc' ? hi : lo };
    await nextTurn();
  }
  return { entries, more: false, stoppedAt: null };
}

function charsOf(row: StoredLog): number {
  return row.line.length + (row.fields?.length ?? 0);
}

function filterOf(query: LogQuery): LogFilter {
  return {
    ...UNFILTERED,
    minLevel: query.level === undefined ? undefined : levelNumber(query.level),
    source: query.source === undefined ? undefined : sourceNumber(query.source),
    run: query.run_id,
    search: query.search,
  };
}

/** The exact test, on masked text, so that a search cannot confirm a masked secret. */
function matcher(search: string | undefined): (entry: LogEntry) => boolean {
  if (search === undefined) return () => true;
  const wanted = search.toLowerCase();
  return (entry) =>
    entry.message.toLowerCase().includes(wanted) ||
    (entry.fields !== null && JSON.stringify(entry.fields).toLowerCase().includes(wanted));
}
