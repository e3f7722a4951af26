import type { Bot } from '../../../../contract/bot.ts';
import type { ToolCaller } from '../tool.ts';

/** Time after which a bot that still starts is returned as it is. */
const SETTLE_MS = 5000;
/** Time for which a started bot is watched: most bots that cannot work end within it. */
const EARLY_MS = 3000;

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
export async function waitUntilSettled(caller: ToolCaller, work: () => Promise<Bot>): Promise<Bot> {
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
