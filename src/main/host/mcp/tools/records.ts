import type { Bot } from '../../../../contract/bot.ts';
import type { LogEntry } from '../../../../contract/telemetry.ts';
import { waitsFor } from '../../../../shared/approval-words.ts';
import { cut, cutAloud, valueField } from '../answer-size.ts';
import type { ResourceLink } from '../tool.ts';
import { inTools } from '../tool-words.ts';
import { BOT_WORDS_NOTICE, visible } from '../untrusted.ts';

/** What of a bot waits for its user, in words. */
function waiting(bot: Bot): { readonly waits_for?: string } {
  const what = waitsFor(bot);
  if (what === null) return {};
  const url = bot.approval?.url ?? bot.url;
  return {
    waits_for:
      what === 'arming'
        ? `the user, who can arm it at ${bot.url}; no key and no tool can`
        : `the user, who can approve or reject a change of it at ${url}; no key and no tool can`,
  };
}

/** A bot in its list form. */
export function briefBot(bot: Bot): Record<string, unknown> {
  // A crashing bot has no reason while it runs again.
  const reason = bot.reason ?? bot.health.reason;
  return {
    bot_id: bot.bot_id,
    name: bot.name,
    type: bot.type,
    version: bot.version,
    status: bot.status,
    ...(bot.last_run === null ? {} : { mode: bot.last_run.mode }),
    ...(bot.health.state === 'ok' ? {} : { health: bot.health.state, failures: bot.health.failures }),
    ...(bot.hold === null ? {} : { held_by: bot.hold.by }),
    ...(bot.arming === null ? {} : { arming: bot.arming.state }),
    ...waiting(bot),
    ...(reason === null ? {} : { reason: cut(`${reason.code}: ${reason.message}`, 200) }),
    ...(bot.next_run_at === null ? {} : { next_run_at: bot.next_run_at }),
  };
}

const records = new WeakMap<Bot, Record<string, unknown>>();

/** The record of a bot. Settings are as given, without the schema's defaults. */
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
    ...(bot.reason === null && bot.health.reason === null && result == null ? {} : { notice: BOT_WORDS_NOTICE }),
    schedule: bot.schedule,
    ...(bot.timezone === null ? {} : { timezone: bot.timezone }),
    enabled: bot.enabled,
    generation: bot.generation,
    ...(bot.reason?.hint == null ? {} : { what_to_do: inTools(bot.reason.hint) }),
    restarts: bot.restarts,
    created_at: bot.created_at,
    updated_at: bot.updated_at,
    started_at: bot.started_at,
    next_attempt_at: bot.next_attempt_at,
    last_run: bot.last_run === null ? null : { ...lastRun, ...valueField('result', result, 2000) },
    ...(bot.hold === null ? {} : { hold: { since: bot.hold.since, who: bot.hold.who, guard_id: bot.hold.guard_id } }),
    ...(bot.arming?.until == null ? {} : { armed_until: bot.arming.until }),
    ...(bot.approval === null ? {} : { approval: bot.approval }),
    engine: bot.engine,
    isolation: bot.isolation,
    ...(bot.isolation_exception === null ? {} : { isolation_exception: bot.isolation_exception }),
    ...(bot.exposure === null ? {} : { exposure: bot.exposure }),
    options: bot.options,
    url: bot.url,
    ...valueField('config', bot.config, 6000),
  };
}

const LINE_BYTES = 4000;

/** A log line as one text, which models read better than an object, at a third of the cost. */
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
