import { describe, expect, it } from 'vitest';
import type { Bot } from '../../../../../src/contract/bot.ts';
import { botListBytes } from '../../../../../src/main/host/http/bot-list.ts';

const bot = (id: string, name = 'Kurs für €'): Bot => ({
  bot_id: id,
  name,
  type: 'realtime/tracker',
  version: '1.0.0',
  schedule: null,
  timezone: null,
  config: { symbol: 'SPY' },
  effective_config: { symbol: 'SPY' },
  options: {},
  enabled: true,
  generation: 1,
  status: 'running',
  reason: null,
  health: { state: 'ok', failures: 0, reason: null },
  hold: null,
  engine: 'process',
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
  url: `http://127.0.0.1/bots/${id}`,
});

describe('the answer that lists bots', () => {
  it('is the JSON of its records', () => {
    for (const items of [[], [bot('bot_1')], [bot('bot_1'), bot('bot_2'), bot('bot_3')]]) {
      expect(botListBytes({ items }).toString()).toBe(JSON.stringify({ items }));
    }
  });

  it('is the same bytes while its records are the same', () => {
    const items = [bot('bot_1'), bot('bot_2')];
    const bytes = botListBytes({ items });
    expect(botListBytes({ items: [...items] })).toBe(bytes);
    expect(botListBytes({ items: items.toReversed() }).toString()).toBe(JSON.stringify({ items: items.toReversed() }));
    expect(botListBytes({ items: items.slice(1) }).toString()).toBe(JSON.stringify({ items: items.slice(1) }));
  });

  it('tells of a record that took the place of another', () => {
    const stays = bot('bot_1');
    botListBytes({ items: [stays, bot('bot_2')] });
    const items = [stays, bot('bot_2', 'a new name')];
    expect(botListBytes({ items }).toString()).toBe(JSON.stringify({ items }));
  });
});
