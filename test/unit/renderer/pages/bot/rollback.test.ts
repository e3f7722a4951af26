import { describe, expect, it } from 'vitest';
import type { Run } from '../../../../../src/contract/bot.ts';
import { rollbackEffect, versionEffect, versionThatWorked } from '../../../../../src/renderer/pages/bot/rollback.ts';

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

it('rollbackEffect says what going back does to a bot that runs, fails, is stopped or has a schedule', () => {
  const realtime = { type: 'realtime/sma', enabled: true } as const;
  expect(rollbackEffect({ ...realtime, status: 'running' })).toEqual({
    before: 'Rolling back restarts the bot once.',
    done: 'It restarts now.',
  });
  expect(rollbackEffect({ ...realtime, status: 'failed' }).before).toBe('Rolling back tries the bot again at once.');
  expect(rollbackEffect({ ...realtime, enabled: false, status: 'stopped' }).done).toBe('It starts now.');
  const report = { type: 'scheduled/report', status: 'scheduled' } as const;
  expect(rollbackEffect({ ...report, enabled: true }).before).toBe('Rolling back takes effect at its next run.');
  expect(rollbackEffect({ ...report, enabled: false }).before).toContain('runs by its schedule again');
});

it('versionEffect says that another version starts no bot that is stopped', () => {
  const realtime = { type: 'realtime/sma', enabled: true } as const;
  expect(versionEffect({ ...realtime, status: 'running' }).done).toBe('It restarts now.');
  expect(versionEffect({ ...realtime, status: 'backing_off' }).done).toBe('It is tried again now.');
  expect(versionEffect({ ...realtime, enabled: false, status: 'stopped' }).done).toBe(
    'It takes effect at the next start.',
  );
  expect(versionEffect({ type: 'scheduled/report', enabled: true, status: 'scheduled' }).done).toBe(
    'It takes effect at the next run.',
  );
});

describe('versionThatWorked', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const runs = [
    run('r3', { version: '1.2.0' }),
    run('r2', { version: '1.1.0', status: 'stopped', ended_at: '2025-01-01T00:00:00.000Z' }),
    run('r1', { version: '1.0.0', status: 'failed', ended_at: at }),
  ];
  it('is that of the run that the diagnosis means', () => {
    expect(versionThatWorked({ version: '1.2.0' }, { last_worked_at: at }, runs)).toBe('1.0.0');
  });
  it('is that of the newest run that ended well when that run is not among those read', () => {
    expect(versionThatWorked({ version: '1.2.0' }, { last_worked_at: '2020-01-01T00:00:00.000Z' }, runs)).toBe('1.1.0');
  });
  it('is none when it never worked, or is the one it has', () => {
    expect(versionThatWorked({ version: '1.2.0' }, { last_worked_at: null }, runs)).toBeNull();
    expect(versionThatWorked({ version: '1.0.0' }, { last_worked_at: at }, runs)).toBeNull();
  });
});
