import { z } from 'zod';
import { type Bot, BotStatus } from '../../../../contract/bot.ts';
import type { BotActivity } from '../../../../contract/bot-activity.ts';
import { cut, fitting } from '../page.ts';
import { READS, type Tool, type ToolCaller, tool } from '../tool.ts';
import { BOT_WORDS_NOTICE, visible } from '../untrusted.ts';
import { causeOf } from './cause.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { BriefBot, briefBot } from './fields.ts';
import { isUnwell, rankOf } from './unwell.ts';

/** Bots of one answer whose logs are read for why they fail, or for their most frequent error. */
const MOST_EXPLAINED = 30;
const ERROR_BYTES = 200;
/** A name of a setting may be longer than a page: its row would hide all that follow. */
const PATH_BYTES = 100;

const Filter = z.enum([...BotStatus.options, 'unhealthy']);

const ListCursor = z.strictObject({
  asked: z.strictObject({ search: z.string().optional(), status: Filter.optional() }),
  /** The last bot of the answer, by its place in the order. */
  rank: z.number().int(),
  bot_id: z.string(),
});
type ListCursor = z.infer<typeof ListCursor>;

/** A bot of the list with its last hour; null if its log was not read. */
interface Listed {
  readonly bot: Bot;
  readonly activity: BotActivity | null;
  readonly rank: number;
  /** Where the text that was searched for stands. */
  readonly matched: readonly string[];
}

/** Paths of the values in a JSON value that hold a text. */
function pathsWith(value: unknown, text: string, path: string): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => pathsWith(item, text, `${path}.${key}`));
  }
  return String(value).toLowerCase().includes(text) ? [path] : [];
}

/** Where a bot has a text: its name, type and id, the settings it works with, and what its metrics are about. */
function placesOf(bot: Bot, activity: BotActivity | null, text: string): string[] {
  const { name, type, bot_id } = bot;
  const own = Object.entries({ name, type, bot_id }).filter(([, value]) => value.toLowerCase().includes(text));
  const traded = activity?.symbols.some((symbol) => symbol.toLowerCase().includes(text)) === true;
  return [
    ...own.map(([field]) => field),
    ...pathsWith(bot.effective_config, text, 'settings')
      .slice(0, 3)
      .map((path) => cut(path, PATH_BYTES)),
    ...(traded ? ['metrics'] : []),
  ];
}

function isAfter({ rank, bot }: Listed, cursor: Pick<ListCursor, 'rank' | 'bot_id'>): boolean {
  return rank > cursor.rank || (rank === cursor.rank && bot.bot_id > cursor.bot_id);
}

function isWanted({ bot, activity }: Listed, status: ListCursor['asked']['status']): boolean {
  if (status === undefined) return true;
  return status === 'unhealthy' ? isUnwell(bot, activity) : bot.status === status;
}

/** The most frequent error of the last hour, for a bot that runs on and has no reason to show. */
async function errorOf({ bot, activity }: Listed, caller: ToolCaller): Promise<string | null> {
  if (activity === null || activity.errors === 0 || bot.health.reason !== null) return null;
  const { groups } = await caller.call('logs.groups', {
    bot_id: bot.bot_id,
    level: 'error',
    date_range: '-1h',
    limit: 1,
  });
  const [group] = groups;
  return group === undefined ? null : cut(visible(`${group.count}x ${group.title}`), ERROR_BYTES);
}

/** What the log of a bot adds to its row. */
async function explained(one: Listed, caller: ToolCaller): Promise<Record<string, unknown>> {
  const [cause, error] = await Promise.all([causeOf(one.bot, caller), errorOf(one, caller)]);
  return { ...cause, ...(error === null ? {} : { most_frequent_error: error }) };
}

function rowOf({ bot, activity, matched }: Listed, added: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...briefBot(bot),
    ...(activity === null || activity.errors === 0 ? {} : { errors_last_hour: activity.errors }),
    ...(activity === null || activity.restarts === 0 ? {} : { restarts_last_hour: activity.restarts }),
    ...added,
    ...(matched.length === 0 ? {} : { found_in: matched }),
  };
}

export const BOT_LIST: Tool = tool({
  name: 'bot_list',
  title: 'List bots',
  audit: ['listed', 'list', 'the bots'],
  description:
    'List your bots, those with a problem first and with its cause: id, type, version, status, health, errors and restarts of the last hour. Start here to find a bot_id or to see which bots are unwell. Settings are searched and not listed: use bot_get for one bot in full.',
  input: z.strictObject({
    search: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'Only bots with this text in name, type, id, settings (defaults too) or metric symbols.' }),
    status: Filter.optional().meta({ description: 'Only bots of this status; unhealthy: failing, or with errors.' }),
    cursor: z.string().max(2000).optional().meta({ description: 'To read on: next_cursor exactly as it came.' }),
  }),
  output: z.object({ bots: z.array(BriefBot), count: z.number(), truncated: z.boolean() }),
  hints: READS,
  needs: 'bots.list',
  async run({ cursor: text, ...given }, caller) {
    const cursor = text === undefined ? null : readCursor(text, ListCursor, given);
    const { search, status } = cursor?.asked ?? given;
    const [{ items }, { items: activities, incomplete }] = await Promise.all([
      caller.call('bots.list', {}),
      caller.call('bots.activity', {}),
    ]);
    const activityOf = new Map(activities.map((activity) => [activity.bot_id, activity]));
    const all = items
      .map((bot): Listed => {
        const activity = activityOf.get(bot.bot_id) ?? null;
        const matched = search === undefined ? [] : placesOf(bot, activity, search.toLowerCase());
        return { bot, activity, matched, rank: rankOf(bot, activity) };
      })
      .filter((one) => (search === undefined || one.matched.length > 0) && isWanted(one, status))
      .sort((a, b) => a.rank - b.rank || (a.bot.bot_id < b.bot.bot_id ? -1 : 1));
    const rest = cursor === null ? all : all.filter((one) => isAfter(one, cursor));
    const added = await Promise.all(rest.slice(0, MOST_EXPLAINED).map((one) => explained(one, caller)));
    const bots = fitting(rest.map((one, at) => rowOf(one, added[at])));
    const last = rest[bots.length - 1];
    const truncated = bots.length < rest.length;
    return {
      data: {
        ...(bots.some((bot) => 'reason' in bot || 'most_frequent_error' in bot) ? { notice: BOT_WORDS_NOTICE } : {}),
        bots,
        count: all.length,
        unhealthy: all.filter(({ bot, activity }) => isUnwell(bot, activity)).length,
        by_status: Object.fromEntries(
          [...Map.groupBy(all, ({ bot }) => bot.status)].map(([name, of]) => [name, of.length]),
        ),
        truncated,
        ...(truncated && last !== undefined
          ? { next_cursor: writeCursor({ asked: { search, status }, rank: last.rank, bot_id: last.bot.bot_id }) }
          : {}),
        ...(incomplete
          ? { incomplete: 'Not all logs were looked at in time: errors and symbols may be missing.' }
          : {}),
      },
    };
  },
});
