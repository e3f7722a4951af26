import { z } from 'zod';
import { JsonObject } from '../../../../contract/common.ts';
import { LIMITS } from '../../../../contract/limits.ts';
import type { TrialReport } from '../../../../contract/trial.ts';
import { cut, fitting } from '../answer-size.ts';
import { type Tool, tool } from '../tool.ts';
import { inTools } from '../tool-words.ts';
import { BOT_TEXT_NOTICE, visible } from '../untrusted.ts';
import { customBotName, version } from './arguments.ts';

const TOLD_MS = 5000;
const WORDS_BYTES = 600;

const shown = (text: string): string => cut(visible(inTools(text)), WORDS_BYTES);

/** A check in the form for an assistant; only a note or a fault says why it matters. */
function shownCheck({ id, level, message, why, hint }: TrialReport['checks'][number]) {
  const grave = level === 'note' || level === 'fault';
  return {
    check: id,
    level,
    found: shown(message),
    ...(grave ? { why: shown(why) } : {}),
    ...(hint === null ? {} : { hint: shown(hint) }),
  };
}

/** Tries code before it is deployed. */
export const VERIFY: Tool = tool({
  name: 'custom_bot_verify',
  title: 'Try a custom bot',
  audit: ['tried', 'try', '[custom bot {name}|the files of a custom bot][ {version}]'],
  description:
    'RUN a custom bot for some seconds, on a host of its own that is removed afterwards, and tell what holds: it starts, stays alive or ends its run, keeps its memory, prints what can be read, answers queries, stops when asked. Give files, or the name of a published one. Nothing is published or deployed. The code runs with the engine that a new bot gets, and reaches the network: only code that was read, with settings that trade nothing.',
  input: z.strictObject({
    files: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'All text files by relative path, as for custom_bot_publish.' }),
    name: customBotName.optional(),
    version,
    settings: JsonObject.optional().meta({
      description:
        'Settings to try it with; a setting base_url leads to the offline price feed. Omit for the defaults.',
    }),
    seconds: z
      .number()
      .int()
      .min(1)
      .max(LIMITS.trialMaxSec)
      .optional()
      .meta({ description: `How long it runs, 1 to ${LIMITS.trialMaxSec}; default ${LIMITS.trialSec}.` }),
  }),
  hints: { idempotentHint: true, openWorldHint: true },
  needs: 'custom_bots.verify',
  target: 'name',
  run: ({ settings, ...request }, caller) =>
    caller.whileOpen(async (ended) => {
      const begun = performance.now();
      const all = (request.seconds ?? LIMITS.trialSec) + 10;
      const tell = (): void => {
        const passed = Math.round((performance.now() - begun) / 1000);
        caller.progress(passed, Math.max(all, passed + 1), 'Trying the bot');
      };
      const telling = setInterval(tell, TOLD_MS);
      try {
        tell();
        const input = { ...request, ...(settings === undefined ? {} : { config: settings }) };
        const { checks, custom_bot, engine, faults, notes } = await caller.call('custom_bots.verify', input, ended);
        const data = { custom_bot, engine, holds: faults === 0, faults, notes, notice: BOT_TEXT_NOTICE };
        return { data: { ...data, checks: fitting(checks.map(shownCheck)) } };
      } finally {
        clearInterval(telling);
      }
    }),
});
