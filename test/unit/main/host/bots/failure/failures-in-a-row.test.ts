import { describe, expect, it } from 'vitest';
import type { BotEvent, RunStatus } from '../../../../../../src/contract/bot.ts';
import { changesBetween } from '../../../../../../src/main/host/bots/failure/changes-since-success.ts';
import { failuresInARow } from '../../../../../../src/main/host/bots/failure/failures-in-a-row.ts';
import type { RunRow } from '../../../../../../src/main/host/control/run-store.ts';

const T0 = Date.parse('2026-01-05T14:00:00Z');
const SECOND = 1000;

/** A run that began `at` seconds after T0 and took `took`. */
function run(at: number, status: RunStatus, over: Partial<RunRow> & { took?: number } = {}): RunRow {
  const { took = 1, ...rest } = over;
  const createdAt = T0 + at * SECOND;
  return {
    runId: `run_${String(at).padStart(6, '0')}`,
    botId: 'bot_1',
    version: '1.0.0',
    trigger: 'deploy',
    status,
    scheduledAt: null,
    startedAt: createdAt,
    endedAt: createdAt + took * SECOND,
    exitCode: status === 'succeeded' ? 0 : 1,
    signal: null,
    result: null,
    reason: null,
    createdAt,
    mode: 'unverified',
    versionHash: null,
    ...rest,
  };
}

describe('failuresInARow', () => {
  it('counts failures in a row back to the last run that worked', () => {
    const worked = run(0, 'succeeded');
    const runs = [run(3, 'failed'), run(2, 'timed_out'), run(1, 'lost'), worked, run(-1, 'failed')];
    expect(failuresInARow(runs, 'scheduled')).toEqual({ repeats: 3, worked, since: runs.slice(0, 3) });
  });

  it('knows when nothing ever worked', () => {
    expect(failuresInARow([run(2, 'failed'), run(1, 'failed')], 'scheduled')).toMatchObject({
      repeats: 2,
      worked: null,
    });
  });

  it('passes over due times that were skipped', () => {
    const runs = [run(3, 'failed'), run(2, 'skipped'), run(1, 'failed'), run(0, 'succeeded')];
    expect(failuresInARow(runs, 'scheduled').repeats).toBe(2);
  });

  it('takes a realtime bot that went on until it was stopped as one that worked, a scheduled one not', () => {
    const runs = [run(1, 'failed'), run(0, 'stopped', { took: 60 })];
    expect(failuresInARow(runs, 'realtime').worked?.runId).toBe(runs[1]?.runId);
    expect(failuresInARow(runs, 'scheduled').worked).toBeNull();
  });

  it('takes one that had to be killed not as one that worked', () => {
    expect(failuresInARow([run(1, 'failed'), run(0, 'stopped', { signal: 'SIGKILL' })], 'realtime').worked).toBeNull();
  });

  it('takes a realtime run of ten minutes as work, also when it then failed', () => {
    const long = run(0, 'failed', { took: 600 });
    expect(failuresInARow([long, run(-5, 'failed')], 'realtime')).toMatchObject({ repeats: 1, worked: long });
    expect(failuresInARow([run(0, 'failed', { took: 599 }), run(-5, 'failed')], 'realtime').repeats).toBe(2);
  });
});

let id = 0;
function event(at: number, over: Partial<BotEvent>): BotEvent {
  id += 1;
  const of = {
    event_id: id,
    bot_id: 'bot_1',
    status: 'running',
    health: null,
    reason: null,
    run_id: null,
    changes: [],
  } as const;
  return { ...of, at: new Date(T0 + at * SECOND).toISOString(), kind: 'updated', ...of, changes: [], ...over };
}
const config = { what: 'config', message: 'Config: n 1 → 2' } as const;

describe('changesBetween', () => {
  const worked = run(0, 'stopped', { took: 100 });
  const failed = run(100, 'failed');

  it('gives what changed after the run that worked began and before the failed one did, oldest first', () => {
    const events = [
      event(200, { changes: [{ what: 'schedule', message: 'after the failure' }] }),
      event(99, { changes: [config, { what: 'options', message: 'Options: memory_mb 64 → 32' }] }),
      event(50, { changes: [{ what: 'version', message: 'Version 0.9.0 → 1.0.0' }] }),
      event(0, { changes: [{ what: 'config', message: 'what the good run began with' }] }),
    ];
    const changes = changesBetween({ worked, failed, events, runs: [failed] });
    expect(changes.map(({ what }) => what)).toEqual(['version', 'config', 'options']);
    expect(changes[0]?.at).toBe('2026-01-05T14:00:50.000Z');
  });

  it('tells of the host: stopped, and started again', () => {
    const reason = { code: 'HOST_STOPPED', message: 'x', hint: null, at: new Date(T0).toISOString() };
    const booted = run(100, 'failed', { trigger: 'boot' });
    const changes = changesBetween({
      worked,
      failed: booted,
      events: [event(60, { kind: 'run', status: 'stopped', reason })],
      runs: [booted],
    });
    expect(changes.map(({ what, message }) => [what, message])).toEqual([
      ['host', 'The host was stopped'],
      ['host', 'The host started the bot again'],
    ]);
  });

  it('tells a version from the runs when the event is gone', () => {
    const changes = changesBetween({ worked, failed: { ...failed, version: '2.0.0' }, events: [], runs: [] });
    expect(changes).toEqual([{ at: '2026-01-05T14:01:40.000Z', what: 'version', message: 'Version 1.0.0 → 2.0.0' }]);
  });

  it('gives all there is when nothing ever worked', () => {
    const events = [event(-1000, { changes: [config] })];
    expect(changesBetween({ worked: null, failed, events, runs: [failed] })).toHaveLength(1);
  });
});
