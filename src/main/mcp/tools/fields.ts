import { z } from 'zod';
import type { Bot } from '../../../contract/bot.ts';
import { JsonObject } from '../../../contract/common.ts';
import { VERSION } from '../../../contract/limits.ts';
import type { LogEntry } from '../../../contract/telemetry.ts';
import { cut, cutAloud, valueField } from '../page.ts';
import type { ResourceLink } from '../tool.ts';
import { BOT_WORDS_NOTICE, visible } from '../untrusted.ts';

/** Arguments that several tools take. Each says where its value comes from. */
export const botId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Id of a bot, exactly as bot_list or bot_deploy returned it.', examples: ['bot_01kxyz'] });
export const customBotName = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Name of a custom bot as custom_bot_list returns it.', examples: ['sma-crossover'] });
export const version = z
  .string()
  .regex(VERSION, 'must look like 1.2.3')
  .optional()
  .meta({ description: 'Version such as "1.1.0". Omit for the newest.' });
const settings = JsonObject;

/** The instance request as the seed has it; `config` is the name the instance file uses, `settings` the tool table's. */
export const instanceConfig = z.strictObject({
  name: z.string().min(1).max(100).meta({ description: 'Name of the bot, unique among your bots.' }),
  type: z
    .string()
    .regex(/^(realtime|scheduled)\/[^/]+$/, 'must be "realtime/<custom bot>" or "scheduled/<custom bot>"')
    .meta({ description: '"<realtime|scheduled>/<custom bot name>".', examples: ['realtime/sma-crossover'] }),
  version: z.string().regex(VERSION, 'must look like 1.2.3').meta({ description: 'Version of the custom bot to run.' }),
  schedule: z
    .string()
    .optional()
    .meta({ description: 'Scheduled bots only: five-field cron in UTC.', examples: ['0 14 * * 1-5'] }),
  settings: settings.optional().meta({ description: 'Settings of the bot; must match custom_bot_schema.' }),
  config: settings.optional().meta({ description: 'Same as settings. Give one of the two.' }),
  enabled: z.boolean().optional().meta({ description: 'false: create it without starting it.' }),
});

/** A bot in a list. */
export const BriefBot = z.object({
  bot_id: z.string(),
  name: z.string(),
  type: z.string(),
  version: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  next_run_at: z.string().optional(),
});

/** A bot after a change; the whole record is there, its main fields are told. */
export const ChangedBot = BriefBot.extend({ url: z.string() });

/** A bot with its settings. */
export const FullBot = BriefBot.extend({
  schedule: z.string().nullable(),
  enabled: z.boolean(),
  restarts: z.number(),
  started_at: z.string().nullable(),
  last_run: z.unknown(),
  config: settings.optional(),
  url: z.string(),
});

/** What a list tells of a bot. */
export function briefBot(bot: Bot): Record<string, unknown> {
  return {
    bot_id: bot.bot_id,
    name: bot.name,
    type: bot.type,
    version: bot.version,
    status: bot.status,
    ...(bot.reason === null ? {} : { reason: cut(`${bot.reason.code}: ${bot.reason.message}`, 200) }),
    ...(bot.next_run_at === null ? {} : { next_run_at: bot.next_run_at }),
  };
}

const records = new WeakMap<Bot, Record<string, unknown>>();

/** The record of a bot. Settings are as given; what the schema adds by default is in custom_bot_schema. */
export function fullBot(bot: Bot): Record<string, unknown> {
  const known = records.get(bot);
  if (known !== undefined) return known;
  const made = makeRecord(bot);
  records.set(bot, made);
  return made;
}

function makeRecord(bot: Bot): Record<string, unknown> {
  const { result, ...lastRun } = bot.last_run ?? { result: null };
  return {
    ...briefBot(bot),
    ...(bot.reason === null && result == null ? {} : { notice: BOT_WORDS_NOTICE }),
    schedule: bot.schedule,
    enabled: bot.enabled,
    ...(bot.reason?.hint == null ? {} : { what_to_do: bot.reason.hint }),
    restarts: bot.restarts,
    created_at: bot.created_at,
    updated_at: bot.updated_at,
    started_at: bot.started_at,
    next_attempt_at: bot.next_attempt_at,
    last_run: bot.last_run === null ? null : { ...lastRun, ...valueField('result', result, 2000) },
    engine: bot.engine,
    options: bot.options,
    url: bot.url,
    ...valueField('config', bot.config, 12_000),
  };
}

const LINE_BYTES = 4000;

/** A line of a log as one text: models read it better than an object, and it costs a third. */
export function logLine({ ts, level, source, message, fields, continued }: LogEntry): string {
  const extra = fields === null ? '' : ` ${JSON.stringify(fields)}`;
  const more = continued ? ' [continues in the next line]' : '';
  return cutAloud(visible(`${ts} ${level} ${source}: ${message}${extra}`), LINE_BYTES) + more;
}

/** The live log of a bot, for clients that read resources. */
export function logLink(id: string): ResourceLink {
  return {
    uri: `platform://bots/${id}/logs`,
    name: `Log of ${id}`,
    description: 'Newest lines of this bot; subscribe for updates.',
    mimeType: 'application/json',
  };
}
