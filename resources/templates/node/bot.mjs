import { setTimeout as sleep } from 'node:timers/promises';
import { log, metric, state } from '@bot-platform/sdk';

/** One round of work. Returns what to remember. */
async function round({ symbol }, memory) {
  const rounds = memory.rounds + 1;
  metric('round', { symbol, rounds });
  return { rounds, updated_at: new Date().toISOString() };
}

/** Called by the platform with the instance's id and configuration; returns when it is told to stop. */
export async function main(botId, config) {
  const settings = { symbol: 'AAPL', interval_ms: 5000, ...config };
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => stop.abort());

  log(`${botId} ({{name}}) starts with ${settings.symbol}`);
  let memory = state.get('bot_state', { rounds: 0 });
  while (!stop.signal.aborted) {
    try {
      memory = await round(settings, memory);
      state.set('bot_state', memory);
    } catch (failure) {
      log(`Round failed: ${failure.message}`, 'error');
    }
    await sleep(settings.interval_ms, undefined, { signal: stop.signal }).catch(() => stop.abort());
  }
  log(`${botId} stopped`);
}
