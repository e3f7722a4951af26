import { describe, expect, it } from 'vitest';
import { type BotFacts, metricFamilies } from '../../../../../src/main/host/api/host-metrics.ts';
import { exposition } from '../../../../../src/main/host/api/prometheus-text.ts';
import { botRecord } from '../../../../support/bot-record.ts';
import { readPrometheusText } from '../../../../support/prometheus-text.ts';

const lines: BotFacts['lines'] = {
  bot_id: 'bot_1',
  total: 12,
  by_level: { debug: 1, info: 8, warn: 2, error: 1 },
  metrics: 3,
  last_hour: { debug: 0, info: 0, warn: 0, error: 0 },
  first_at: '2026-01-01T00:00:00.000Z',
  last_at: '2026-01-01T00:01:00.500Z',
  last_error: null,
  dropped: 4,
};
const program = { run_id: 'r', started_at: '2026-01-01T00:00:00.000Z', network: null };
const stats: BotFacts['stats'] = {
  bot_id: 'bot_1',
  engine: 'process',
  at: '2026-01-01T00:00:00.000Z',
  restarts: 2,
  programs: [
    { role: 'bot', cpu_ms: 1500, memory_bytes: 1000, processes: 2, ...program },
    { role: 'query', cpu_ms: 500, memory_bytes: 24, processes: 1, ...program },
  ],
};

function read(bots: readonly BotFacts[]): Map<string, number> {
  const text = exposition(metricFamilies({ version: '1.2.3', startedAt: 1_500, bots }));
  return new Map(
    readPrometheusText(text).map(({ name, labels, value }) => {
      const { bot: _, ...rest } = labels;
      return [[name, ...Object.values(rest)].join(' '), value];
    }),
  );
}

describe('the metrics of a host', () => {
  it('tell of each bot what runs, uses and prints', () => {
    const bot = botRecord('sma "live"', { bot_id: 'bot_1', status: 'running', restarts: 2 });
    const metrics = read([{ bot, stats, lines, missed: 0 }]);
    expect(Object.fromEntries(metrics)).toMatchObject({
      'platform_build_info 1.2.3': 1,
      platform_start_time_seconds: 1.5,
      platform_scrape_incomplete_bots: 0,
      'platform_bots running': 1,
      'platform_bots failed': 0,
      'platform_bot_up bot_1': 1,
      'platform_bot_healthy bot_1': 1,
      'platform_bot_restarts_total bot_1': 2,
      'platform_bot_cpu_seconds_total bot_1': 2,
      'platform_bot_memory_bytes bot_1': 1024,
      'platform_bot_processes bot_1': 3,
      'platform_bot_last_line_time_seconds bot_1': Date.parse('2026-01-01T00:01:00.500Z') / 1000,
      'platform_bot_lines_total bot_1 error': 1,
      'platform_bot_lines_dropped_total bot_1': 4,
    });
    expect([...metrics.keys()].some((name) => name.startsWith('platform_bot_missed_runs'))).toBe(false);
  });

  it('tell of a scheduled bot its next and last run, and what it missed', () => {
    const last = {
      run_id: 'r',
      trigger: 'schedule',
      mode: 'paper',
      started_at: null,
      exit_code: 1,
      signal: null,
    } as const;
    const bot = botRecord('daily', {
      bot_id: 'bot_2',
      type: 'scheduled/x',
      schedule: '0 9 * * *',
      timezone: 'UTC',
      status: 'scheduled',
      next_run_at: '2026-01-02T09:00:00.000Z',
      last_run: { ...last, status: 'failed', ended_at: '2026-01-01T09:00:01.000Z', result: null },
    });
    expect(Object.fromEntries(read([{ bot, stats: null, lines: null, missed: 3 }]))).toMatchObject({
      platform_scrape_incomplete_bots: 1,
      'platform_bot_up bot_2': 1,
      'platform_bot_next_run_time_seconds bot_2': Date.parse('2026-01-02T09:00:00Z') / 1000,
      'platform_bot_last_run_succeeded bot_2': 0,
      'platform_bot_missed_runs bot_2': 3,
    });
  });

  it('have a number of series that only the number of bots decides', () => {
    const one = (n: number): BotFacts => {
      const bot = botRecord('x'.repeat(n), { bot_id: `bot_${n}`, status: 'running' });
      return { bot, stats, lines, missed: 0 };
    };
    const few = read([one(1)]).size;
    expect(read([one(1), one(2), one(3)]).size - read([one(1), one(2)]).size).toBe(read([one(1), one(2)]).size - few);
    expect(read([one(1), one(2)]).size - few).toBeLessThan(25);
  });
});
