import { z } from 'zod';
import { type Bot, BotStatus } from '../../../../contract/bot.ts';
import type { BotActivity } from '../../../../contract/bot-activity.ts';
import { cut, fitting } from '../answer-size.ts';
import { READS, type Tool, type ToolCaller, tool } from '../tool.ts';
import { BOT_WORDS_NOTICE, visible } from '../untrusted.ts';
import { isUnwell, MANY_WARNINGS, rankOf } from './bot-attention.ts';
import { causeOf } from './cause.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { explainAll, groupedByCause, type ListedBot, problemOf } from './explain-unhealthy.ts';
import { briefBot } from './records.ts';

/** Limit of bots in one answer whose logs are read for the cause of their failure, or for their most frequent error. */
const MOST_EXPLAINED = 30;
const ERROR_BYTES = 200;
/**
 * Limit of a path in an answer: the name of a setting may be longer than a page, and its row would hide all that
 * follow.
 */
const PATH_BYTES = 100;

/** A shorter part of an id may be any word: a search for NVDA must find no bot whose id holds that by chance. */
const ID_PART = 12;

const Filter = z.enum([...BotStatus.options, 'unhealthy']);

const ListCursor = z.strictObject({
  asked: z.strictObject({ search: z.string().optional(), status: Filter.optional() }),
  /** Rank of the last bot of the answer in the order. */
  rank: z.number().int(),
  bot_id: z.string(),
});
type ListCursor = z.infer<typeof ListCursor>;

interface Listed extends ListedBot {
  readonly rank: number;
  /** Places at which the bot contains the searched text. */
  readonly matched: readonly string[];
}

/** Paths of the values in a JSON value that hold a text. */
function pathsWith(value: unknown, text: string, path: string): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => pathsWith(item, text, `${path}.${key}`));
  }
  return String(value).toLowerCase().includes(text) ? [path] : [];
}

/**
 * Returns the places at which a bot contains a text: name, type, id, the settings that it works with, and the symbols
 * of its metrics.
 */
function placesOf(bot: Bot, activity: BotActivity | null, text: string): string[] {
  const { name, type, bot_id } = bot;
  const own = Object.entries({ name, type, ...(text.length < ID_PART ? {} : { bot_id }) }).filter(([, value]) =>
    value.toLowerCase().includes(text),
  );
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

/** Returns the fields that the log of a bot adds to its row. */
async function explained(one: Listed, caller: ToolCaller): Promise<Record<string, unknown>> {
  const [cause, problem] = await Promise.all([
    causeOf(one.bot, caller),
    isUnwell(one.bot, one.activity) ? problemOf(one, caller) : null,
  ]);
  return { ...cause, ...(problem === null ? {} : { most_frequent_problem: cut(visible(problem), ERROR_BYTES) }) };
}

function rowOf({ bot, activity, matched }: Listed, added: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...briefBot(bot),
    ...(activity === null || activity.errors === 0 ? {} : { errors_last_hour: activity.errors }),
    ...(activity === null || activity.warnings < MANY_WARNINGS ? {} : { warnings_last_hour: activity.warnings }),
    ...(activity === null || activity.restarts === 0 ? {} : { restarts_last_hour: activity.restarts }),
    ...added,
    ...(matched.length === 0 ? {} : { found_in: matched }),
  };
}

/** A part of an answer, with the number of bots in it. */
interface Part {
  readonly shown: number;
  readonly data: Record<string, unknown>;
}

async function inRows(rest: readonly Listed[], caller: ToolCaller): Promise<Part> {
  const added = await Promise.all(rest.slice(0, MOST_EXPLAINED).map((one) => explained(one, caller)));
  const bots = fitting(rest.map((one, at) => rowOf(one, added[at])));
  const quotes = bots.some((bot) => 'reason' in bot || 'most_frequent_problem' in bot);
  return { shown: bots.length, data: { ...(quotes ? { notice: BOT_WORDS_NOTICE } : {}), bots } };
}

/** Groups bots by cause, so that one answer has hundreds of bots that fail for a few causes. */
async function byCause(all: readonly Listed[], rest: readonly Listed[], caller: ToolCaller): Promise<Part> {
  const explained = await explainAll(all, caller);
  const [causes, shown] = groupedByCause(explained, explained.slice(all.length - rest.length));
  const unread = explained.filter(({ isRead }) => !isRead).length;
  const note = unread === 0 ? {} : { not_read: `There was no time to read the logs of ${unread} bots: ask again.` };
  return { shown, data: { notice: BOT_WORDS_NOTICE, causes, ...note } };
}

export const BOT_LIST: Tool = tool({
  name: 'bot_list',
  title: 'List bots',
  audit: ['listed', 'list', 'the bots'],
  description:
    'List your bots, those with a problem first and with its cause: id, type, version, status, health, errors and restarts of the last hour. Start here to find a bot_id. To see which bots are unwell and why, ask for status unhealthy: all of them by cause, each as [bot_id, name]. Settings are searched and not listed: use bot_get for one bot in full.',
  input: z.strictObject({
    search: z.string().min(1).max(100).optional().meta({
      description:
        'Only bots with this text in name, type, settings (defaults too), symbols in metrics, or id (12 characters or more of it).',
    }),
    status: Filter.optional().meta({
      description: 'Only bots of this status; unhealthy: failing, or with errors or many warnings; grouped by cause.',
    }),
    cursor: z.string().max(2000).optional().meta({ description: 'To read on: next_cursor exactly as it came.' }),
  }),
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
    const { shown, data } = await (status === 'unhealthy' ? byCause(all, rest, caller) : inRows(rest, caller));
    const last = rest[shown - 1];
    const truncated = shown < rest.length;
    return {
      data: {
        ...data,
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
