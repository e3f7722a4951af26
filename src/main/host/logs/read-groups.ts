import { setImmediate as nextTurn } from 'node:timers/promises';
import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import type { LogGroup, LogGroups, LogGroupsQuery } from '../../../contract/telemetry.ts';
import type { BotLog } from './bot-log.ts';
import type { BotMasker } from './create-bot-masker.ts';
import { queryRange } from './date-range.ts';
import { unpackMeta } from './line-meta.ts';
import { maskEntry } from './mask-again.ts';
import { sayingOf } from './message-without-details.ts';
import { DEADLINE_MS, STEP, UNFILTERED } from './read-logs.ts';
import type { LogFilter, SeqRange, StoredLog } from './stored-row-types.ts';
import { levelNumber, toLogEntry } from './wire-entries.ts';

const GROUPS = 20;
/** Most distinct groups while lines are read; lines beyond them are only counted. */
const MOST_GROUPS = 2000;
const ROWS = 500;
/** Least groups of an answer that keeps a place for the newest and the rarest. */
const LEAST_WITH_RESERVED = 3;

interface Known {
  readonly level: number;
  readonly newest: StoredLog;
  count: number;
  first: number;
  firstSeq: number;
}

interface Seen {
  readonly groups: ReadonlyMap<string, Known>;
  readonly lines: number;
  readonly oldest: number | null;
  readonly incomplete: boolean;
}

/**
 * Groups of equal messages of a level and above (group-lines.ts). Goes from the newest line back, with the deadline and
 * the turns of a search, and returns what it has found by then.
 */
export async function readGroups(
  reader: BotLog | null,
  masker: BotMasker,
  query: LogGroupsQuery,
  read: { readonly stopped: boolean },
  now: number,
): Promise<LogGroups> {
  const time = queryRange(query, now);
  const bounds = reader?.logBounds() ?? null;
  if (reader === null || bounds === null) {
    return { bot_id: query.bot_id, groups: [], lines: 0, other_lines: 0, incomplete: false, from: null };
  }
  const range = {
    lo: time === null ? bounds.lo : reader.seqAt(time.from, bounds),
    hi: time === null ? bounds.hi : reader.seqAt(time.to, bounds),
  };
  const filter = { ...UNFILTERED, minLevel: levelNumber(query.level ?? 'warn'), run: query.run_id };
  const seen = await look(reader, range, filter, read);
  const sorted = [...seen.groups.values()].sort(
    (a, b) => b.level - a.level || b.count - a.count || b.newest.seq - a.newest.seq,
  );
  const groups = chosen(sorted, query.limit ?? GROUPS).map((known) => toGroup(known, masker));
  return {
    bot_id: query.bot_id,
    groups,
    lines: seen.lines,
    other_lines: seen.lines - groups.reduce((sum, { count }) => sum + count, 0),
    incomplete: seen.incomplete,
    from: toTimestampOrNull(seen.oldest),
  };
}

async function look(
  reader: BotLog,
  range: SeqRange,
  filter: LogFilter,
  read: { readonly stopped: boolean },
): Promise<Seen> {
  const deadline = performance.now() + DEADLINE_MS;
  const groups = new Map<string, Known>();
  let lines = 0;
  let oldest: number | null = null;
  let { hi } = range;
  while (range.lo < hi) {
    const step = reader.part({ lo: range.lo, hi }, 'desc', STEP);
    if (step === null) break;
    const rows = reader.logs(step, filter, 'desc', ROWS);
    for (const row of rows) {
      lines += 1;
      oldest = row.ts;
      add(groups, row);
    }
    hi = rows.length === ROWS ? (rows.at(-1)?.seq ?? step.lo) : step.lo;
    if (range.lo < hi && (read.stopped || performance.now() > deadline)) {
      return { groups, lines, oldest, incomplete: true };
    }
    await nextTurn();
  }
  return { groups, lines, oldest, incomplete: false };
}

function add(groups: Map<string, Known>, row: StoredLog): void {
  const { level } = unpackMeta(row.meta);
  const { message, fields } = toLogEntry(row);
  const key = `${level} ${sayingOf({ message, fields }).key}`;
  const known = groups.get(key);
  if (known !== undefined) {
    known.count += 1;
    known.first = row.ts;
    known.firstSeq = row.seq;
  } else if (groups.size < MOST_GROUPS)
    groups.set(key, { level, newest: row, count: 1, first: row.ts, firstSeq: row.seq });
}

/**
 * The most frequent groups, and of the most severe level the newest group and the rarest one (the earliest of equally rare
 * ones): neither noise nor deliberate flooding may hide a cause that was logged once.
 */
function chosen(sorted: readonly Known[], limit: number): readonly Known[] {
  if (sorted.length <= limit || limit < LEAST_WITH_RESERVED) return sorted.slice(0, limit);
  const gravest = sorted.filter(({ level }) => level === sorted[0]?.level);
  const newest = gravest.reduce((best, one) => (one.newest.seq > best.newest.seq ? one : best));
  const others = gravest.filter((one) => one !== newest);
  const rarest = others.reduce<Known | null>(
    (best, one) =>
      best === null || one.count < best.count || (one.count === best.count && one.firstSeq < best.firstSeq)
        ? one
        : best,
    null,
  );
  const reserved = new Set([newest, ...(rarest === null ? [] : [rarest])]);
  const frequent = sorted.filter((one) => !reserved.has(one)).slice(0, limit - reserved.size);
  const kept = new Set([...reserved, ...frequent]);
  return sorted.filter((one) => kept.has(one));
}

/** Masks only the shown lines: groups are distinguished by their stored lines, none of which leave the host. */
function toGroup({ newest, count, first }: Known, masker: BotMasker): LogGroup {
  const example = maskEntry(toLogEntry(newest), masker);
  return {
    level: example.level,
    count,
    first_at: toTimestamp(first),
    last_at: example.ts,
    title: sayingOf(example).title,
    example,
  };
}
