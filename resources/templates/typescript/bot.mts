import { log, metric, sleep, state } from '@bot-platform/sdk';

/** What this bot uses of Node; `@types/node` describes the rest. */
declare const process: { once(signal: 'SIGTERM' | 'SIGINT', listener: () => void): void };

/** The properties of bot-schema.json. */
interface Config {
  symbol: string;
  interval_ms: number;
}

/** What the bot remembers, also across restarts. */
interface Memory {
  rounds: number;
  updated_at: string | null;
}

/** One round of work. Returns what to remember. */
function round({ symbol }: Config, memory: Memory): Memory {
  const rounds = memory.rounds + 1;
  metric('round', { symbol, rounds });
  return { rounds, updated_at: new Date().toISOString() };
}

/** Called by the platform with the instance's id and configuration; returns when it is told to stop. */
export async function main(botId: string, config: Partial<Config>): Promise<void> {
  const settings: Config = { symbol: 'AAPL', interval_ms: 5000, ...config };
  let stopping = false;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      stopping = true;
    });
  }

  log(`${botId} ({{name}}) starts with ${settings.symbol}`);
  let memory: Memory = state.get('bot_state', { rounds: 0, updated_at: null });
  while (!stopping) {
    try {
      memory = round(settings, memory);
      state.set('bot_state', memory);
    } catch (failure) {
      log(`Round failed: ${failure instanceof Error ? failure.message : failure}`, 'error');
    }
    // In short naps: a stop is noticed at once.
    for (let rest = settings.interval_ms; rest > 0 && !stopping; rest -= 100) await sleep(Math.min(rest, 100));
  }
  log(`${botId} stopped`);
}
