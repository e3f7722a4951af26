import { z } from 'zod';
import { JsonObject } from '../../../../contract/common.ts';
import { LIMITS } from '../../../../contract/limits.ts';
import { valueField } from '../answer-size.ts';
import { READS, type Tool, tool } from '../tool.ts';
import { BOT_TEXT_NOTICE } from '../untrusted.ts';
import { botId } from './arguments.ts';
import { viewOf } from './view-of.ts';

export const BOT_QUERY: Tool = tool({
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
    const view = await viewOf(bot_id, caller);
    return {
      view,
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
