import { z } from 'zod';
import { WAITING } from '../../../../contract/audit-words.ts';
import type { Bot } from '../../../../contract/bot.ts';
import type { JsonObject } from '../../../../contract/common.ts';
import { invalid } from '../../../../contract/errors.ts';
import { LIMITS } from '../../../../contract/limits.ts';
import { type Tool, type ToolAnswer, type ToolCaller, tool } from '../tool.ts';
import { visible } from '../untrusted.ts';
import { botId, instanceChange, instanceConfig } from './arguments.ts';
import { changedOptions, readOptions } from './bot-options.ts';
import { sheetField } from './install-sheet.ts';
import { fullBot, logLink } from './records.ts';
import { waitUntilSettled } from './wait-until-settled.ts';

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

const deploy = tool({
  name: 'bot_deploy',
  title: 'Deploy a bot',
  audit: ['deployed', 'deploy', '[bot {name}|a bot][ {version}]'],
  description:
    'Create AND START a new bot from a custom bot. Each call makes another bot, unless it repeats an idempotency_key. Call custom_bot_schema before, and build settings that match it. Returns the new bot_id and the status a moment after the start. One with live secrets does not start before the user arms it: waits_for says so.',
  input: z.strictObject({
    config: instanceConfig,
    idempotency_key: z
      .string()
      .max(LIMITS.deployKeyChars)
      .optional()
      .meta({ description: 'Any unique word: a repeated call with it returns the same bot.' }),
  }),
  hints: { idempotentHint: false, openWorldHint: true },
  needs: 'bots.deploy',
  async run({ config: given, idempotency_key }, caller) {
    const { settings: _, config: __, options, ...rest } = given;
    const key = idempotency_key === undefined ? {} : { idempotency_key };
    const request = { ...rest, ...key, ...(options === undefined ? {} : { options: readOptions(options).set }) };
    caller.progress(1, 3, 'Checking the settings');
    const bot = await waitUntilSettled(caller, async () => {
      const made = await caller.call('bots.deploy', { ...request, config: oneConfig(given) ?? {} });
      caller.progress(2, 3, 'Starting');
      return made;
    });
    caller.progress(3, 3, `The bot is ${bot.status}`);
    const about = { name: bot.type.slice(bot.type.indexOf('/') + 1), version: bot.version };
    const { install_sheet } = await caller.call('custom_bots.get', about);
    return { data: { ...fullBot(bot), permits: sheetField(install_sheet) }, links: [logLink(bot.bot_id)] };
  },
});

/** The answer to a change that waits for the user: nothing that reads like a change that was made. */
function notMade(bot: Bot): ToolAnswer {
  const { approval } = bot;
  return {
    data: {
      status: WAITING,
      reason: 'NEEDS_ARMING: the bot is armed, so only a person changes what it runs. Nothing was changed',
      approval,
      what_to_do: `Tell the user what you asked for and why, and that they approve or reject it at ${approval?.url ?? bot.url}. It is made once they approve; asking again changes nothing.`,
      bot: fullBot(bot),
    },
    links: [logLink(bot.bot_id)],
    waits: true,
  };
}

const update = tool({
  name: 'bot_update',
  title: 'Change a bot',
  audit: ['changed', 'change', '[bot {bot}|a bot][ to version {version}]'],
  description:
    'Change name, version, schedule, settings or options of a bot, or stop and start it by enabled; a running one restarts. What you leave out stays, settings too; lists are replaced as a whole. What you ask of an armed bot waits until the user approves it: status is then "waiting".',
  input: z.strictObject({
    bot_id: botId,
    config: instanceChange,
    if_generation: z.int().optional().meta({ description: 'Refuse if the bot has another generation by now.' }),
  }),
  hints: { idempotentHint: true, openWorldHint: true },
  needs: 'bots.update',
  target: 'bot_id',
  async run({ bot_id, config: given, if_generation }, caller) {
    const { settings: _, config: __, options: changed, ...rest } = given;
    const config_patch = oneConfig(given);
    const before = changed === undefined ? null : await caller.call('bots.get', { bot_id });
    const request = {
      ...rest,
      ...(if_generation === undefined ? {} : { if_generation }),
      ...(before === null || changed === undefined ? {} : { options: changedOptions(before.options, changed) }),
    };
    let waiting: Bot | null = null;
    const bot = await waitUntilSettled(caller, async () => {
      const { outcome, ...changed } = await caller.call('bots.update', {
        bot_id,
        ...request,
        ...(config_patch === undefined ? {} : { config_patch }),
      });
      if (outcome === WAITING) {
        waiting = changed;
        return changed;
      }
      // Enabling a bot that has ended requests a new run.
      const ended = changed.status === 'stopped' || changed.status === 'failed';
      return given.enabled === true && ended ? caller.call('bots.start', { bot_id }) : changed;
    });
    return waiting !== null ? notMade(waiting) : { data: fullBot(bot), links: [logLink(bot_id)] };
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
    'Stop a bot and put it into the trash, from which a person can restore it for 7 days: be sure that the user named this bot. To stop it for a while use bot_update with enabled false.',
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
    return `Delete the bot ${visible(JSON.stringify(name))} (${bot_id}, ${status})? It stops, and can be restored from the trash for 7 days.`;
  },
  async run(input, caller) {
    if (input.confirm !== undefined) await named(input, caller);
    return { data: await caller.call('bots.delete', { bot_id: input.bot_id }) };
  },
});

/** Tools that change bots, in their order at /mcp. */
export const BOT_CHANGES: readonly Tool[] = [deploy, update, remove];
