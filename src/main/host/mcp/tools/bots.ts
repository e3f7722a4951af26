import { z } from 'zod';
import type { Bot } from '../../../../contract/bot.ts';
import { JsonObject } from '../../../../contract/common.ts';
import { invalid } from '../../../../contract/errors.ts';
import { LIMITS } from '../../../../contract/limits.ts';
import { valueField } from '../answer-size.ts';
import { READS, type Tool, type ToolCaller, tool } from '../tool.ts';
import { BOT_TEXT_NOTICE, visible } from '../untrusted.ts';
import { botId, instanceChange, instanceConfig } from './arguments.ts';
import { changedOptions, readOptions } from './bot-options.ts';
import { fullBot, logLink } from './records.ts';

/** Time after which a bot that still starts is returned as it is. */
const SETTLE_MS = 5000;
/** Time for which a started bot is watched: most bots that cannot work end within it. */
const EARLY_MS = 3000;

/** Merges `settings` and `config`, two names of the same argument. */
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

/** Waits until a bot changes or the time is over. */
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

/** Returns the time in ms to wait for a bot's next step; 0 or less when the bot is settled. */
function unsettled({ status, started_at }: Bot, deadline: number): number {
  if (status === 'starting' || status === 'stopping') return deadline - Date.now();
  return status === 'running' && started_at !== null ? Date.parse(started_at) + EARLY_MS - Date.now() : 0;
}

/**
 * Changes a bot and waits until it no longer starts, and a moment more, so that a bot that fails at once is reported as
 * failed.
 */
async function settled(caller: ToolCaller, work: () => Promise<Bot>): Promise<Bot> {
  const seen = new Map<string, () => void>();
  const end = await caller.follow('bots.stream', {}, { push: ({ bot_id }) => seen.get(bot_id)?.() });
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

const deploy = tool({
  name: 'bot_deploy',
  title: 'Deploy a bot',
  audit: ['deployed', 'deploy', '[bot {name}|a bot][ {version}]'],
  description:
    'Create AND START a new bot from a custom bot. Each call makes another bot, so do not repeat it after a time-out: call bot_list first. Call custom_bot_schema before, and build settings that match it. Returns the new bot_id and the status a moment after the start.',
  input: z.strictObject({ config: instanceConfig }),
  hints: { idempotentHint: false, openWorldHint: true },
  needs: 'bots.deploy',
  async run({ config: given }, caller) {
    const { settings: _, config: __, options, ...rest } = given;
    const request = { ...rest, ...(options === undefined ? {} : { options: readOptions(options).set }) };
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
  audit: ['changed', 'change', '[bot {bot}|a bot][ to version {version}]'],
  description:
    'Change name, version, schedule, settings or options of a bot, or stop and start it by enabled; a running one restarts. What you leave out stays, settings too; lists are replaced as a whole.',
  input: z.strictObject({ bot_id: botId, config: instanceChange }),
  hints: { idempotentHint: true, openWorldHint: true },
  needs: 'bots.update',
  target: 'bot_id',
  async run({ bot_id, config: given }, caller) {
    const { settings: _, config: __, options: changed, ...rest } = given;
    const config_patch = oneConfig(given);
    const before = changed === undefined ? null : await caller.call('bots.get', { bot_id });
    const request = {
      ...rest,
      ...(before === null || changed === undefined ? {} : { options: changedOptions(before.options, changed) }),
    };
    const bot = await settled(caller, async () => {
      const changed = await caller.call('bots.update', {
        bot_id,
        ...request,
        ...(config_patch === undefined ? {} : { config_patch }),
      });
      // Enabling a bot that has ended requests a new run.
      const ended = changed.status === 'stopped' || changed.status === 'failed';
      return given.enabled === true && ended ? caller.call('bots.start', { bot_id }) : changed;
    });
    return { data: fullBot(bot), links: [logLink(bot_id)] };
  },
});

/** Returns the bot to delete; throws INVALID_REQUEST if its name differs from the caller's `confirm`. */
async function named({ bot_id, confirm }: { bot_id: string; confirm?: string | undefined }, caller: ToolCaller) {
  const bot = await caller.call('bots.get', { bot_id });
  if (confirm === undefined || confirm === bot.name || confirm === visible(bot.name)) return bot;
  throw invalid('INVALID_REQUEST', [
    {
      path: 'confirm',
      message: `this bot is named ${JSON.stringify(bot.name)}`,
      hint: 'Nothing was deleted. Ask the user which bot is meant, and look it up with bot_list.',
    },
  ]);
}

const remove = tool({
  name: 'bot_delete',
  title: 'Stop and delete a bot',
  audit: ['deleted', 'delete', '[bot {bot}|a bot]'],
  description:
    'Stop a bot and delete it with its state, logs, metrics and runs. This cannot be undone: be sure that the user named this bot. To stop it for a while use bot_update with enabled false.',
  input: z.strictObject({
    bot_id: botId,
    confirm: z
      .string()
      .optional()
      .meta({ description: 'Name of the bot as the user said it: another name is refused.' }),
  }),
  hints: { idempotentHint: false, openWorldHint: true },
  needs: 'bots.delete',
  target: 'bot_id',
  async confirm(input, caller) {
    const { name, bot_id, status } = await named(input, caller);
    return `Delete the bot ${visible(JSON.stringify(name))} (${bot_id}, ${status}) with its state, logs, metrics and runs? This cannot be undone.`;
  },
  async run(input, caller) {
    if (input.confirm !== undefined) await named(input, caller);
    return { data: await caller.call('bots.delete', { bot_id: input.bot_id }) };
  },
});

const query = tool({
  name: 'bot_query',
  title: 'Query a bot',
  audit: ['asked', 'ask', '[bot {bot}|a bot]'],
  description:
    "Run one of the bot's own read-only query handlers, for example /status, and return its JSON. A running realtime bot answers in milliseconds; others are started for the one query. An unknown path is answered with the paths that exist. Parameter values are strings.",
  input: z.strictObject({
    bot_id: botId,
    query_path: z
      .string()
      .max(2048)
      .regex(/^\//, 'must start with "/"')
      .meta({ description: 'Path of the handler, such as /status.' }),
    params: JsonObject.optional().meta({ description: 'Parameters of the handler.' }),
    timeout_sec: z
      .number()
      .min(1)
      .max(LIMITS.queryTimeoutMaxSec)
      .optional()
      .meta({ description: `Seconds to wait; default ${LIMITS.queryTimeoutSec}.` }),
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

/** Tools that change bots, in their order at /mcp; bot_query has another place there. */
export const BOT_CHANGES: readonly Tool[] = [deploy, update, remove];
export const QUERY_TOOL: Tool = query;
