import { z } from 'zod';
import type { Bot } from '../../../contract/bot.ts';
import { JsonObject } from '../../../contract/common.ts';
import { invalid } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { fitting, valueField } from '../page.ts';
import { READS, type Tool, type ToolCaller, tool } from '../tool.ts';
import { BOT_TEXT_NOTICE, BOT_WORDS_NOTICE, visible } from '../untrusted.ts';
import { BriefBot, botId, briefBot, ChangedBot, FullBot, fullBot, instanceConfig, logLink } from './fields.ts';

/** Time after which a bot that still starts is answered as it is. */
const SETTLE_MS = 5000;
/** Time for which a bot that has started is watched: most bots that cannot work end within it. */
const EARLY_MS = 1500;
/** What needs a look comes first when a list is long. */
const URGENCY = ['failed', 'backing_off', 'starting', 'stopping', 'running', 'scheduled', 'stopped'];

/** `settings` and `config` are one thing under two names. */
function oneConfig(input: {
  settings?: JsonObject | undefined;
  config?: JsonObject | undefined;
}): JsonObject | undefined {
  if (input.settings !== undefined && input.config !== undefined) {
    throw invalid('INVALID_REQUEST', [
      { path: 'config', message: 'settings and config are the same thing', hint: 'Give only settings.' },
    ]);
  }
  return input.settings ?? input.config;
}

/** Waits until a bot is no longer as it is, or the time is over. */
async function changeOf(bot: Bot, ms: number, caller: ToolCaller, seen: Map<string, () => void>): Promise<Bot> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  seen.set(bot.bot_id, resolve);
  const left = (): void => resolve();
  caller.signal.addEventListener('abort', left, { once: true });
  try {
    const now = await caller.call('bots.get', { bot_id: bot.bot_id });
    if (now.status === bot.status) await promise;
  } finally {
    clearTimeout(timer);
    caller.signal.removeEventListener('abort', left);
  }
  return caller.call('bots.get', { bot_id: bot.bot_id });
}

/** How long to wait for what a bot does next, in ms; 0 when it is settled. */
function unsettled({ status, started_at }: Bot, deadline: number): number {
  if (status === 'starting' || status === 'stopping') return deadline - Date.now();
  return status === 'running' && started_at !== null ? Date.parse(started_at) + EARLY_MS - Date.now() : 0;
}

/** Does something to a bot and waits until it no longer starts and a moment more: a bot that fails at once is answered as failed. */
async function settled(caller: ToolCaller, work: () => Promise<Bot>): Promise<Bot> {
  const seen = new Map<string, () => void>();
  const end = await caller.watch((event) => seen.get(event.bot_id)?.());
  try {
    let bot = await work();
    const deadline = Date.now() + SETTLE_MS;
    for (let ms = unsettled(bot, deadline); ms > 0 && !caller.signal.aborted; ms = unsettled(bot, deadline)) {
      bot = await changeOf(bot, ms, caller, seen);
    }
    return bot;
  } finally {
    end();
  }
}

function isAbout({ name, type, bot_id }: Bot, text: string): boolean {
  return [name, type, bot_id].some((field) => field.toLowerCase().includes(text));
}

const list = tool({
  name: 'bot_list',
  title: 'List bots',
  description:
    'List your bots with id, type, version and status, those with a problem first. Start here to find a bot_id. Settings are left out: use bot_get for one bot in full.',
  input: z.strictObject({
    search: z.string().max(100).optional().meta({ description: 'Only bots with this text in name, type or id.' }),
  }),
  output: z.object({ bots: z.array(BriefBot), count: z.number(), truncated: z.boolean() }),
  hints: READS,
  needs: 'bots.list',
  async run({ search }, caller) {
    const { items: all } = await caller.call('bots.list', {});
    const items = search === undefined ? all : all.filter((bot) => isAbout(bot, search.toLowerCase()));
    const sorted = items.toSorted((a, b) => URGENCY.indexOf(a.status) - URGENCY.indexOf(b.status));
    const bots = fitting(sorted.map(briefBot));
    const truncated = bots.length < items.length;
    return {
      data: {
        ...(bots.some((bot) => 'reason' in bot) ? { notice: BOT_WORDS_NOTICE } : {}),
        bots,
        count: items.length,
        by_status: Object.fromEntries(
          [...Map.groupBy(items, (bot) => bot.status)].map(([status, of]) => [status, of.length]),
        ),
        truncated,
        ...(truncated ? { more: `${items.length - bots.length} further bots: call again with search.` } : {}),
      },
    };
  },
});

const get = tool({
  name: 'bot_get',
  title: 'Get one bot',
  description:
    'Get one bot in full: status and why, version, schedule, last run and settings. For what it printed use logs_summary, then logs_get; for what it computed use bot_query or bot_state_get.',
  input: z.strictObject({ bot_id: botId }),
  output: FullBot,
  hints: READS,
  needs: 'bots.get',
  target: 'bot_id',
  run: async (input, caller) => ({
    data: fullBot(await caller.call('bots.get', input)),
    links: [logLink(input.bot_id)],
  }),
});

const deploy = tool({
  name: 'bot_deploy',
  title: 'Deploy a bot',
  description:
    'Create AND START a new bot from a custom bot. Each call makes another bot, so do not repeat it after a time-out: call bot_list first. Call custom_bot_schema before, and build settings that match it. Returns the new bot_id and the status a moment after the start.',
  input: z.strictObject({ config: instanceConfig }),
  output: ChangedBot,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  needs: 'bots.deploy',
  async run({ config: given }, caller) {
    const { settings: _, config: __, ...request } = given;
    caller.progress(1, 3, 'Checking the settings');
    const bot = await settled(caller, async () => {
      const made = await caller.call('bots.deploy', { ...request, config: oneConfig(given) ?? {} });
      caller.progress(2, 3, 'Starting');
      return made;
    });
    caller.progress(3, 3, `The bot is ${bot.status}`);
    return { data: fullBot(bot), links: [logLink(bot.bot_id)] };
  },
});

const update = tool({
  name: 'bot_update',
  title: 'Change a bot',
  description:
    'Change name, version, schedule or settings of a bot; a running one restarts. Fields that you leave out stay. Settings that you leave out stay too; null sets one back to its default; lists are replaced as a whole.',
  input: z.strictObject({ bot_id: botId, config: instanceConfig.partial() }),
  output: ChangedBot,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  needs: 'bots.update',
  target: 'bot_id',
  async run({ bot_id, config: given }, caller) {
    const { settings: _, config: __, ...request } = given;
    const config_patch = oneConfig(given);
    const bot = await settled(caller, async () => {
      const changed = await caller.call('bots.update', {
        bot_id,
        ...request,
        ...(config_patch === undefined ? {} : { config_patch }),
      });
      // To enable a bot that has ended is to ask for it to run again.
      const ended = changed.status === 'stopped' || changed.status === 'failed';
      return given.enabled === true && ended ? caller.call('bots.start', { bot_id }) : changed;
    });
    return { data: fullBot(bot), links: [logLink(bot_id)] };
  },
});

const remove = tool({
  name: 'bot_delete',
  title: 'Stop and delete a bot',
  description:
    'Stop a bot and delete it with its state, logs, metrics and runs. This cannot be undone: be sure that the user named this bot. To stop it for a while use bot_update with enabled false.',
  input: z.strictObject({ bot_id: botId }),
  output: z.object({ bot_id: z.string(), deleted: z.boolean() }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  needs: 'bots.delete',
  target: 'bot_id',
  async confirm(input, caller) {
    const { name, bot_id, status } = await caller.call('bots.get', input);
    return `Delete the bot ${visible(JSON.stringify(name))} (${bot_id}, ${status}) with its state, logs, metrics and runs? This cannot be undone.`;
  },
  run: async (input, caller) => ({ data: await caller.call('bots.delete', input) }),
});

const query = tool({
  name: 'bot_query',
  title: 'Query a bot',
  description:
    "Run one of the bot's own read-only query handlers, for example /status, and return its JSON. A running realtime bot answers in milliseconds; others are started for the one query. An unknown path is answered with the paths that exist. Parameter values are strings.",
  input: z.strictObject({
    bot_id: botId,
    query_path: z
      .string()
      .max(2048)
      .regex(/^\//, 'must start with "/"')
      .meta({ description: 'Path of the handler.', examples: ['/status'] }),
    params: JsonObject.optional().meta({ description: 'Parameters of the handler.' }),
    timeout_sec: z
      .number()
      .min(1)
      .max(LIMITS.queryTimeoutMaxSec)
      .optional()
      .meta({ description: `Seconds to wait; default ${LIMITS.queryTimeoutSec}.` }),
  }),
  output: z.object({
    bot_id: z.string(),
    query_path: z.string(),
    result: z.unknown().optional(),
    duration_ms: z.number(),
  }),
  hints: { ...READS, openWorldHint: true },
  needs: 'bots.query',
  target: 'bot_id',
  async run({ bot_id, query_path, params, timeout_sec }, caller) {
    const answer = await caller.call('bots.query', {
      bot_id,
      path: query_path,
      ...(params === undefined ? {} : { params }),
      ...(timeout_sec === undefined ? {} : { timeout_sec }),
    });
    return {
      data: {
        bot_id,
        query_path,
        notice: BOT_TEXT_NOTICE,
        duration_ms: answer.duration_ms,
        ...valueField('result', answer.result),
      },
    };
  },
});

/** Tools about bots, in the order of the seed; bot_query stands apart there. */
export const BOT_TOOLS: readonly Tool[] = [list, get, deploy, update, remove];
export const QUERY_TOOL: Tool = query;
