import { describe, expect, it } from 'vitest';
import type { Run } from '../../../../../src/contract/bot.ts';
import { mergeRuns, resultLine } from '../../../../../src/renderer/pages/bot/merge-runs.ts';

const run = (id: string, over: Partial<Run> = {}): Run => ({
  run_id: id,
  bot_id: 'bot_1',
  version: '1.0.0',
  trigger: 'deploy',
  status: 'failed',
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

describe('runs', () => {
  it('puts what was read again in place of what was known, newest first', () => {
    const merged = mergeRuns(
      [run('r1'), run('r2', { status: 'running' })],
      [run('r3'), run('r2', { status: 'succeeded' })],
    );
    expect(merged.map((one) => `${one.run_id} ${one.status}`)).toEqual(['r3 failed', 'r2 succeeded', 'r1 failed']);
  });
  it('says a result in one line', () => {
    expect(resultLine(null)).toBeNull();
    expect(resultLine({ status: 'success', message: 'done' })).toBe('done');
    expect(resultLine({ value: 1 })).toBe('{"value":1}');
    expect(resultLine({ text: 'x'.repeat(500) })).toHaveLength(201);
    expect(resultLine(0)).toBe('0');
  });
});
