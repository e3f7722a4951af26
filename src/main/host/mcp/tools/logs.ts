import { z } from 'zod';
import { toTimestamp } from '../../../../contract/common.ts';
import type { Failure, RunFailures } from '../../../../contract/failure.ts';
import { type LogGroup, type LogGroups, LogLevel } from '../../../../contract/telemetry.ts';
import { queryRange } from '../../logs/date-range.ts';
import { cutAloud, fitting } from '../answer-size.ts';
import { READS, type Tool, type ToolCaller, tool } from '../tool.ts';
import { BOT_TEXT_NOTICE, visible } from '../untrusted.ts';
import { botId } from './arguments.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { nextStepInTools } from './next-step-in-tools.ts';
import { logLine, logLink } from './records.ts';

const MOST_LINES = 500;
/** Space for the groups in a summary, in bytes: the summary is read first and often. */
const GROUPS_BYTES = 3000;
const TITLE_BYTES = 300;
const MOST_CAUSES = 5;
const MOST_CHANGES = 5;

/** Position of logs_get: the request, its times as instants, and the entry before which reading continues. */
const LogCursor = z.strictObject({
  asked: z.strictObject({
    date: z.string().optional(),
    date_range: z.string().optional(),
    level: LogLevel.optional(),
    search: z.string().optional(),
    run: z.string().optional(),
  }),
  /** Range `A/B` in instants; relative times would shift between pages. */
  range: z.string().nullable(),
  before: z.number().int().nonnegative(),
});
type LogCursor = z.infer<typeof LogCursor>;

const dateRange = z.string().max(100).optional();
const RANGE_WORDS =
  'START/END in UTC: days, instants (END excluded) or times before now; or one such time alone, until now.';
const RANGE_EXAMPLES = ['-15m', '-2h/-1h', '2026-11-20T14:00:00Z/2026-11-20T14:05:00Z'];

/**
 * Returns the position to read from: as requested, or at the end of an earlier answer. Relative times are converted to
 * instants only once.
 */
function placeOf(
  cursor: string | undefined,
  asked: LogCursor['asked'],
): Omit<LogCursor, 'before'> & { before?: number } {
  if (cursor !== undefined) return readCursor(cursor, LogCursor, asked);
  const time = queryRange(asked, Date.now());
  return { asked, range: time === null ? null : `${toTimestamp(time.from)}/${toTimestamp(time.to)}` };
}

const get = tool({
  name: 'logs_get',
  title: 'Read the log of a bot',
  audit: ['read', 'read', 'the log[ of bot {bot}]'],
  description:
    'Read log lines of one bot, oldest first, the newest that match. Returns at most limit lines (default 100) and about 20 KB; when truncated is true, older.cursor reads on without a gap. To find errors call logs_summary first: it has all of them in groups and is much smaller. Secrets are masked.',
  input: z.strictObject({
    bot_id: botId,
    date: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'One UTC day.', examples: ['2026-11-20'] }),
    date_range: dateRange.meta({ description: `${RANGE_WORDS} Not together with date.`, examples: RANGE_EXAMPLES }),
    limit: z
      .number()
      .int()
      .min(1)
      .max(MOST_LINES)
      .optional()
      .meta({ description: `Most lines to return, 1 to ${MOST_LINES}, default 100.` }),
    level: LogLevel.optional().meta({ description: 'This level and above.' }),
    search: z.string().min(1).max(500).optional().meta({ description: 'Only lines with this text, any case.' }),
    run: z.string().min(1).max(64).optional().meta({ description: 'Only lines of this run: a run_id.' }),
    cursor: z.string().max(8000).optional().meta({ description: 'To read on: older.cursor exactly as it came.' }),
  }),
  hints: READS,
  needs: 'logs.get',
  target: 'bot_id',
  async run({ bot_id, limit, cursor, ...asked }, caller) {
    const place = placeOf(cursor, asked);
    const { level, search, run } = place.asked;
    const page = await caller.call('logs.get', {
      bot_id,
      limit: limit ?? 100,
      ...(level === undefined ? {} : { level }),
      ...(search === undefined ? {} : { search }),
      ...(run === undefined ? {} : { run_id: run }),
      ...(place.range === null ? {} : { date_range: place.range }),
      ...(place.before === undefined ? {} : { before: place.before }),
    });
    const newestFirst = page.entries.toReversed();
    const entries = newestFirst.slice(0, fitting(newestFirst.map(logLine)).length).reverse();
    const cut = entries.length < page.entries.length;
    const before = cut ? entries[0]?.seq : page.older_before;
    const more = before != null && (cut || page.truncated);
    return {
      data: {
        bot_id,
        notice: BOT_TEXT_NOTICE,
        lines: entries.map(logLine),
        returned: entries.length,
        truncated: more,
        ...(more ? { older: { cursor: writeCursor({ asked: place.asked, range: place.range, before }) } } : {}),
        ...(page.incomplete ? { incomplete: 'The search ended early: older.cursor goes on.' } : {}),
      },
      links: [logLink(bot_id)],
    };
  },
});

/** Returns a note on the lines that an incomplete search has read; `from` is null if none of them was a problem. */
const notAll = (from: string | null): string =>
  from === null
    ? 'There was no time for all lines; the newest contain no problem'
    : `Only lines from ${from} on were looked at`;

function shownGroup({ level, count, first_at, last_at, title, example }: LogGroup) {
  const fields = example.fields === null ? '' : ` ${JSON.stringify(example.fields)}`;
  const text = cutAloud(visible(`${title}${fields}`), TITLE_BYTES);
  return { level, count, first_at, last_at, run_id: example.run_id, example: text };
}

/**
 * Returns the groups that fit, in an assistant's form, and counts the others. The newest and the rarest group are
 * always among them, and the first since the bot last worked, because frequent groups must not hide the cause.
 */
function shownGroups({ groups, lines, incomplete, from }: LogGroups, sinceGood: readonly LogGroup[]) {
  const all = [...groups, ...sinceGood.filter(({ title }) => groups.every((other) => other.title !== title))];
  const reserved = [...reservedOf(groups), ...sinceGood.map(({ title }) => all.find((one) => one.title === title))];
  const order = [...new Set([...reserved.filter((one) => one !== undefined), ...all])];
  const kept = new Set(order.slice(0, fitting(order.map(shownGroup), GROUPS_BYTES).length));
  const shown = all.filter((one) => kept.has(one)).map(shownGroup);
  const told = shown.reduce((sum, { count }) => sum + count, 0);
  return {
    problems: shown,
    problem_lines: lines,
    ...(told < lines ? { not_listed: `${lines - told} further lines: logs_get with level "warn".` } : {}),
    ...(incomplete ? { incomplete: `${notAll(from)}: narrow date_range.` } : {}),
  };
}

/** Returns the newest and the rarest of the most severe groups. */
function reservedOf(groups: readonly LogGroup[]): LogGroup[] {
  const gravest = groups.filter(({ level }) => level === groups[0]?.level);
  const newest = gravest.toSorted((a, b) => b.example.seq - a.example.seq)[0];
  const rarest = gravest.toSorted((a, b) => a.count - b.count || (a.first_at < b.first_at ? -1 : 1));
  return [newest, rarest.find((one) => one !== newest)].filter((one) => one !== undefined);
}

/**
 * Returns the rarest error group since a failing bot last worked, of equally rare ones the earliest, and the newest
 * only if it is alone; empty if that time is unknown.
 */
async function sinceItWorked(bot_id: string, failure: Failure | null, caller: ToolCaller): Promise<LogGroup[]> {
  const since = failure?.last_worked_at ?? null;
  if (since === null) return [];
  const { groups } = await caller.call('logs.groups', { bot_id, level: 'error', date_range: `${since}/-0s` });
  return reservedOf(groups).slice(-1);
}

/** Returns the present failure without the facts that groups and causes beside it repeat. */
function shownFailure(failure: Failure | null, bot_id: string) {
  if (failure === null) return null;
  const { cause, changes, evidence, message, next, ...facts } = failure;
  return {
    ...facts,
    message: cutAloud(message, 600),
    ...(cause === null ? {} : { cause: cause.code }),
    changes: changes
      .slice(-MOST_CHANGES)
      .map((change) => ({ ...change, message: cutAloud(change.message, TITLE_BYTES) })),
    evidence: evidence.map(({ ts, source, message: said }) =>
      cutAloud(visible(`${ts} ${source}: ${said}`), TITLE_BYTES),
    ),
    next: nextStepInTools(next, bot_id),
  };
}

function shownCauses({ runs, failed, causes }: RunFailures) {
  const by_cause = causes
    .slice(0, MOST_CAUSES)
    .map((cause) => ({ ...cause, message: cutAloud(visible(cause.message), TITLE_BYTES) }));
  return { of_newest: runs, failed, by_cause };
}

const summary = tool({
  name: 'logs_summary',
  title: 'Summarise the log of a bot',
  audit: ['read', 'read', 'a summary of the log[ of bot {bot}]'],
  description:
    'All errors and warnings of one bot in groups, each with its count, first and last time and one example; failed runs by cause; and why the bot fails now: code, step, evidence, what changed since it last worked, what to do next. Call it first when a bot misbehaves; then logs_get around the times that it names.',
  input: z.strictObject({
    bot_id: botId,
    date_range: dateRange.meta({ description: `Groups of this time only. ${RANGE_WORDS}`, examples: ['-1h'] }),
  }),
  hints: READS,
  needs: 'logs.summary',
  target: 'bot_id',
  async run({ bot_id, date_range }, caller) {
    const [{ last_error: _, failure, ...counts }, groups, failures] = await Promise.all([
      caller.call('logs.summary', { bot_id }),
      caller.call('logs.groups', { bot_id, ...(date_range === undefined ? {} : { date_range }) }),
      caller.call('runs.failures', { bot_id }),
    ]);
    return {
      data: {
        ...counts,
        notice: BOT_TEXT_NOTICE,
        ...shownGroups(groups, date_range === undefined ? await sinceItWorked(bot_id, failure, caller) : []),
        ...(failures.failed === 0 ? {} : { runs: shownCauses(failures) }),
        failure: shownFailure(failure, bot_id),
      },
      links: [logLink(bot_id)],
    };
  },
});

/** Tools about logs, in their order at /mcp. */
export const LOG_TOOLS: readonly Tool[] = [get, summary];
