import type { Bot } from '../../../../contract/bot.ts';
import { cut } from '../answer-size.ts';
import type { ToolCaller } from '../tool.ts';
import { inTools } from '../tool-words.ts';
import { visible } from '../untrusted.ts';

const CAUSE_BYTES = 200;
/** Codes that name the end of a program without its cause. */
const BARE: ReadonlySet<string> = new Set(['EXIT_CODE', 'KILLED', 'LOST']);

/**
 * Returns the cause of a bot's failure if its record names only the end of its program, of a crash loop the last one;
 * null otherwise.
 */
export async function causeOf(bot: Bot, caller: ToolCaller): Promise<{ reason: string } | null> {
  const reason = bot.reason ?? bot.health.reason;
  if (bot.health.state === 'ok' || reason === null || !BARE.has(reason.code)) return null;
  const { failure } = await caller.call('bots.diagnosis', { bot_id: bot.bot_id });
  if (failure === null) return null;
  const { code, message } = failure.cause ?? failure;
  return { reason: cut(visible(inTools(`${code}: ${message}`)), CAUSE_BYTES) };
}
