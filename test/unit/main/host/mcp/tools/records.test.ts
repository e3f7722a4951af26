import { expect, it } from 'vitest';
import { briefBot, fullBot } from '../../../../../../src/main/host/mcp/tools/records.ts';
import { sampleBot } from '../../../../cli/sample-bot.ts';

const RUN = {
  run_id: 'run_1',
  trigger: 'schedule',
  status: 'running',
  started_at: '2026-01-05T13:00:00.000Z',
  ended_at: null,
  exit_code: null,
  signal: null,
  result: null,
} as const;

it.each(['paper', 'unverified', 'live'] as const)('a bot whose last run was %s says so', (mode) => {
  const bot = sampleBot({ last_run: { ...RUN, mode } });
  expect(briefBot(bot)).toMatchObject({ mode });
  expect(fullBot(bot)).toMatchObject({ mode, last_run: { mode } });
});

it('a bot that has not run yet has no mode', () => {
  expect(briefBot(sampleBot({ last_run: null }))).not.toHaveProperty('mode');
});
