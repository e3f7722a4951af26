import { z } from 'zod';
import type { Bot } from '../../../../contract/bot.ts';
import type { BotChangeBy } from '../../../../contract/bot-actor.ts';
import type { LedgerModeSummary } from '../../../../contract/ledger.ts';
import type { LogGroups } from '../../../../contract/telemetry.ts';
import { cut, cutAloud, valueField } from '../answer-size.ts';
import { READS, type Tool, tool } from '../tool.ts';
import { BOT_WORDS_NOTICE, visible, visibleJson } from '../untrusted.ts';
import { botId } from './arguments.ts';
import { causeOf } from './cause.ts';
import { fullBot, logLink } from './records.ts';
import { viewOf } from './view-of.ts';

const CHANGES = 5;
/** Limit of the distinct errors in an answer; the newest and the rarest are always among them. */
const ERRORS = 5;
const CONFIG_BYTES = 4000;
const MOST_CHANGED = 5;
/** Limit of the currencies and accounts in the books of one mode. */
const MOST_SUMS = 10;

/** Returns the settings that the bot works with, including defaults that the schema adds. */
function effective({ config, effective_config }: Bot): Record<string, unknown> {
  if (JSON.stringify(config) === JSON.stringify(effective_config)) return { defaults: {} };
  const added = Object.entries(effective_config).filter(
    ([key, value]) => !Object.hasOwn(config, key) || JSON.stringify(config[key]) !== JSON.stringify(value),
  );
  const { truncated: _, ...field } = valueField('defaults', Object.fromEntries(added), CONFIG_BYTES);
  return field;
}

/** Returns the author of a change in words: the name of the key, else its id or the method of authentication. */
function actor({ method, key, key_id, client }: BotChangeBy['by']): string {
  const who = key === null ? (key_id ?? method) : `key "${key}"`;
  return cut(visible(client === null ? who : `${who} (${client})`), 200);
}

function shownChange({ at, operation, by, changes }: BotChangeBy) {
  const what = changes.slice(0, MOST_CHANGED).map(({ message }) => cut(message, 200));
  return { at, operation, by: actor(by), ...(what.length === 0 ? {} : { changes: what }) };
}

const shownErrors = ({ groups }: LogGroups) =>
  groups.map(({ count, last_at, title }) => ({ count, last_at, example: cutAloud(visible(title), 250) }));

/** Books of one mode in short; names that the bot chose are shown as such. */
function shownBooks(books: LedgerModeSummary) {
  const [today, equity, unrealised] = [books.today, books.equity, books.unrealised].map((all) =>
    all.slice(0, MOST_SUMS),
  );
  return visibleJson({ ...books, today, equity, unrealised }).data;
}

/**
 * Tool that returns one bot in full: its record, its settings, its last distinct errors, and its changes with their
 * authors.
 */
export const BOT_GET: Tool = tool({
  name: 'bot_get',
  title: 'Get one bot',
  audit: ['looked', 'look', 'at [bot {bot}|a bot]'],
  description:
    'Get one bot in full: status and why, version, schedule, last run, settings with the defaults in use, whether it trades live and is armed, what waits for the user, its distinct errors of the last 24 hours with counts, and who changed what. For all errors use logs_summary; for what it computed use bot_query or bot_state_get.',
  input: z.strictObject({ bot_id: botId }),
  hints: READS,
  needs: 'bots.get',
  target: 'bot_id',
  async run({ bot_id }, caller) {
    const [bot, errors, { items }] = await Promise.all([
      caller.call('bots.get', { bot_id }),
      caller.call('logs.groups', { bot_id, level: 'error', date_range: '-24h', limit: ERRORS }),
      caller.call('bots.changes', { bot_id, limit: CHANGES }),
    ]);
    const [cause, view] = [await causeOf(bot, caller), await viewOf(bot_id, caller)];
    const recent_errors = shownErrors(errors);
    return {
      data: {
        ...fullBot(bot),
        ...cause,
        ...(recent_errors.length === 0 ? {} : { notice: BOT_WORDS_NOTICE, recent_errors }),
        ...effective(bot),
        ...(bot.ledger === null || bot.ledger.length === 0 ? {} : { ledger: bot.ledger.map(shownBooks) }),
        recent_changes: items.map(shownChange),
      },
      links: [logLink(bot_id)],
      view,
    };
  },
});
