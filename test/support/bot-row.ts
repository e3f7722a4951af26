import type { BotRow } from '../../src/main/host/control/bot-store.ts';

/** A realtime bot that runs as a process, for tests that need a row and not what it says. */
export function botRow(fields: Partial<BotRow> = {}): BotRow {
  return {
    botId: 'bot_1',
    userId: 'user_1',
    name: 'sma live',
    type: 'realtime',
    customBot: 'tracker',
    version: '1.0.0',
    schedule: null,
    timezone: 'UTC',
    config: {},
    flat: false,
    options: {},
    engine: 'process',
    enabled: true,
    deleting: false,
    trash: null,
    epoch: 1,
    generation: 1,
    status: 'running',
    reason: null,
    isolationException: null,
    hold: null,
    health: { state: 'ok', failures: 0, reason: null },
    restarts: 0,
    failures: 0,
    nextAttemptAt: null,
    scheduledFrom: 0,
    createdAt: 0,
    updatedAt: 0,
    ...fields,
  };
}
