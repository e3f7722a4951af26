import { expect, it } from 'vitest';
import type { Run } from '../../../../../src/contract/bot.ts';
import { mergeRuns } from '../../../../../src/renderer/pages/bot/merge-runs.ts';

const run = (id: string, over: Partial<Run> = {}): Run => ({
  run_id: id,
  bot_id: 'bot_1',
  version: '1.0.0',
  trigger: 'deploy',
  status: 'failed',
  mode: 'unverified',
  slot: null,
  started_at: null,
  ended_at: null,
  duration_ms: null,
  exit_code: null,
  signal: null,
  result: null,
  reason: null,
  ...over,
});

it('puts what was read again in place of what was known, newest first', () => {
  const merged = mergeRuns(
    [run('r1'), run('r2', { status: 'running' })],
    [run('r3'), run('r2', { status: 'succeeded' })],
  );
  expect(merged.map((one) => `${one.run_id} ${one.status}`)).toEqual(['r3 failed', 'r2 succeeded', 'r1 failed']);
});
