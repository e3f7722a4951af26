import type { Bot } from '../../../src/contract/bot.ts';

/** A scheduled bot as a host returns it, with what a test changes. */
export function sampleBot(changes: Partial<Bot> = {}): Bot {
  return {
    bot_id: `bot_${'0'.repeat(26)}`,
    name: 'portfolio',
    type: 'scheduled/tracker',
    version: '1.0.0',
    schedule: '0 14 * * 1-5',
    timezone: 'UTC',
    config: { symbol: 'SPY' },
    effective_config: { symbol: 'SPY' },
    options: {},
    enabled: true,
    generation: 1,
    status: 'scheduled',
    reason: null,
    health: { state: 'ok', failures: 0, reason: null },
    engine: 'process',
    hold: null,
    arming: null,
    approval: null,
    isolation: 'none',
    isolation_exception: null,
    exposure: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    started_at: null,
    next_run_at: null,
    next_attempt_at: null,
    run_id: null,
    last_run: null,
    restarts: 0,
    url: 'http://x',
    ...changes,
  };
}
