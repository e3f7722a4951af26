import { z } from 'zod';
import { fitting, PAGE_BYTES, valueField } from '../answer-size.ts';
import { READS, type Tool, type ToolCaller, tool } from '../tool.ts';
import { BOT_TEXT_NOTICE, visible } from '../untrusted.ts';
import { botId } from './arguments.ts';

const stateList = tool({
  name: 'bot_state_list',
  title: 'List the state of a bot',
  audit: ['listed', 'list', 'the state[ of bot {bot}]'],
  description: 'List the keys that a bot has stored, with sizes in bytes. Values are not included: use bot_state_get.',
  input: z.strictObject({
    bot_id: botId,
    after: z.string().optional().meta({ description: 'To read on after a truncated answer: its last key.' }),
  }),
  hints: READS,
  needs: 'state.list',
  target: 'bot_id',
  async run({ bot_id, after }, caller) {
    const { keys, total_bytes } = await caller.call('state.list', { bot_id });
    const rest = keys
      .map(({ key, size, modified_at }) => ({ key: visible(key), size_bytes: size, modified_at }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .filter(({ key }) => after === undefined || key > after);
    const shown = fitting(rest);
    const truncated = shown.length < rest.length;
    return { data: { bot_id, notice: BOT_TEXT_NOTICE, keys: shown, count: keys.length, total_bytes, truncated } };
  },
});

/** A value by its key, or by the key in the list's form, where hidden characters are visible. */
async function stateOf(bot_id: string, key: string, caller: ToolCaller) {
  if (!key.includes('\\u{')) return caller.call('state.get', { bot_id, key });
  const { keys } = await caller.call('state.list', { bot_id });
  const found = keys.find((one) => one.key === key) ?? keys.find((one) => visible(one.key) === key);
  return caller.call('state.get', { bot_id, key: found?.key ?? key });
}

const stateGet = tool({
  name: 'bot_state_get',
  title: 'Read a state value',
  audit: ['read', 'read', '[state key {key}|a state key][ of bot {bot}]'],
  description:
    'Read the JSON value that a bot stored under one key. Use bot_state_list for the keys. A large value comes as its beginning, with truncated true.',
  input: z.strictObject({
    bot_id: botId,
    key: z
      .string()
      .min(1)
      .meta({ description: 'Key as bot_state_list returns it.', examples: ['bot_state'] }),
  }),
  hints: READS,
  needs: 'state.get',
  target: 'bot_id',
  async run(input, caller) {
    const { value, modified_at } = await stateOf(input.bot_id, input.key, caller);
    return {
      data: { ...input, modified_at, notice: BOT_TEXT_NOTICE, ...valueField('value', value, PAGE_BYTES - 2000) },
    };
  },
});

/** Tools about state, in their order at /mcp. */
export const STATE_TOOLS: readonly Tool[] = [stateList, stateGet];
