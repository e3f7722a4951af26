import type { Bot, HealthState } from '../../../../contract/bot.ts';
import type { BotActivity } from '../../../../contract/bot-activity.ts';
import { Semaphore } from '../../../../node/semaphore.ts';
import { sayingOf } from '../../logs/message-without-details.ts';
import { cut, ROOM_BYTES } from '../answer-size.ts';
import type { ToolCaller } from '../tool.ts';
import { visible } from '../untrusted.ts';
import { causeOf } from './cause.ts';

/** A bot of a list with its activity of the last hour; null if its log was not read. */
export interface ListedBot {
  readonly bot: Bot;
  readonly activity: BotActivity | null;
}

const CAUSE_BYTES = 200;
/** Length limits of causes and names, tried in order until all bots fit into one answer. */
const SHORTER = [CAUSE_BYTES, 120, 60];
const NAME_BYTES = 60;
/** Number of logs that are read at a time, and the time limit for all: one call explains the causes of 300 bots. */
const READS_AT_ONCE = 8;
const EXPLAIN_MS = 8000;

/** An unhealthy bot with its health, and its cause, which has the same key as that of bots with the same failure. */
interface Explained extends ListedBot {
  readonly health: HealthState;
  readonly cause: string;
  /** Equal for bots with the same failure. */
  readonly key: string;
  /** False when the time was over before the bot's log was read. */
  readonly isRead: boolean;
}

/** Bots with the same failure, in an assistant's form. */
export interface CauseGroup {
  readonly cause: string;
  readonly health: HealthState;
  /** Number of all bots with this cause, including those of other pages. */
  readonly count: number;
  readonly errors_last_hour?: number;
  readonly warnings_last_hour?: number;
  readonly restarts_last_hour?: number;
  readonly bots: (readonly [bot_id: string, name: string])[];
}

/** Returns the most frequent problem of the last hour, for a bot that runs on and has no reason in its record. */
export async function problemOf({ bot, activity }: ListedBot, caller: ToolCaller): Promise<string | null> {
  if (activity === null || activity.errors + activity.warnings === 0 || bot.health.reason !== null) return null;
  const level = activity.errors > 0 ? 'error' : 'warn';
  const { groups } = await caller.call('logs.groups', { bot_id: bot.bot_id, level, date_range: '-1h', limit: 1 });
  const [group] = groups;
  return group === undefined ? null : `${group.count}x ${group.title}`;
}

/** Returns the cause as far as it is known without the log. */
function unread({ bot, activity }: ListedBot): string {
  const reason = bot.reason ?? bot.health.reason;
  if (reason !== null) return `${reason.code}: ${reason.message}`;
  return activity !== null && activity.errors > 0 ? 'Logs errors' : 'Logs many warnings';
}

async function explain(one: ListedBot, caller: ToolCaller, mayRead: boolean): Promise<Explained> {
  const { health } = one.bot;
  const found = mayRead ? ((await causeOf(one.bot, caller))?.reason ?? (await problemOf(one, caller))) : null;
  const cause = visible(found ?? unread(one));
  // A count precedes the problem of a bot that runs on.
  const { key } = sayingOf({ message: cause.replace(/^\d{1,12}x /, ''), fields: null });
  return { ...one, health: health.state, cause, key: `${health.state} ${key}`, isRead: mayRead };
}

/** Returns the cause of each bot, in the given order; a bot for which no time is left gets the cause of its record. */
export async function explainAll(bots: readonly ListedBot[], caller: ToolCaller): Promise<Explained[]> {
  const reads = new Semaphore(READS_AT_ONCE);
  const deadline = performance.now() + EXPLAIN_MS;
  return Promise.all(
    bots.map(async (one) => {
      if (!(await reads.take(caller.signal))) return explain(one, caller, false);
      try {
        return await explain(one, caller, performance.now() < deadline);
      } finally {
        reads.release();
      }
    }),
  );
}

const sum = (of: readonly Explained[], field: 'errors' | 'warnings' | 'restarts'): number =>
  of.reduce((total, { activity }) => total + (activity?.[field] ?? 0), 0);

function groupOf(all: readonly Explained[], shown: readonly Explained[], bytes: number): CauseGroup {
  const [first] = all;
  const [errors, warnings, restarts] = [sum(all, 'errors'), sum(all, 'warnings'), sum(all, 'restarts')];
  return {
    cause: cut(first?.cause ?? '', bytes),
    health: first?.health ?? 'ok',
    count: all.length,
    ...(errors === 0 ? {} : { errors_last_hour: errors }),
    ...(warnings === 0 ? {} : { warnings_last_hour: warnings }),
    ...(restarts === 0 ? {} : { restarts_last_hour: restarts }),
    bots: shown.map(({ bot }) => [bot.bot_id, cut(visible(bot.name), NAME_BYTES)] as const),
  };
}

/** Returns the groups of the bots of a page, in the order of the first bot of each group. */
function groupsOf(all: readonly Explained[], page: readonly Explained[], bytes: number): CauseGroup[] {
  const everywhere = Map.groupBy(all, ({ key }) => key);
  return [...Map.groupBy(page, ({ key }) => key)].map(([key, shown]) =>
    groupOf(everywhere.get(key) ?? shown, shown, bytes),
  );
}

/**
 * Groups bots by cause, in one answer where they fit: causes are shortened before a bot moves to another page. `page`
 * is a part of `all`; the result contains the number of its bots in the groups.
 */
export function groupedByCause(all: readonly Explained[], page: readonly Explained[]): [CauseGroup[], number] {
  const size = (count: number, bytes: number): number =>
    Buffer.byteLength(JSON.stringify(groupsOf(all, page.slice(0, count), bytes)));
  const bytes = SHORTER.find((one) => size(page.length, one) <= ROOM_BYTES) ?? CAUSE_BYTES;
  let [least, most] = [Math.min(1, page.length), page.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (size(middle, bytes) <= ROOM_BYTES) least = middle;
    else most = middle - 1;
  }
  return [groupsOf(all, page.slice(0, least), bytes), least];
}
