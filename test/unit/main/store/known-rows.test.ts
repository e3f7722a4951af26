import { describe, expect, it, onTestFinished } from 'vitest';
import { createBotStore } from '../../../../src/main/store/bot-store.ts';
import { openControlDatabase } from '../../../../src/main/store/control-database.ts';
import { createRunStore, type RunRow } from '../../../../src/main/store/run-store.ts';
import { tempDir } from '../../../support/temp.ts';

function setup() {
  const dir = tempDir('known-rows-');
  const db = openControlDatabase(`${dir}/control.db`, { backupDir: dir, now: () => 0 });
  onTestFinished(() => void db.close());
  db.exec(`
    insert into user values ('user_1', 'owner', 'owner', null, 0);
    insert into custom_bot_version values ('user_1', 'tracker', '1.0.0', '{}', '{}', 'h', 0);
    insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at, updated_at)
    values ('bot_1', 'user_1', 'b', 'realtime', 'tracker', '1.0.0', '{}', 0, '{}', 1, 'running', 0, 0);
  `);
  return { db, bots: createBotStore(db), runs: createRunStore(db) };
}

const run = (runId: string, status: RunRow['status'] = 'starting'): RunRow => ({
  runId,
  botId: 'bot_1',
  version: '1.0.0',
  trigger: 'deploy',
  status,
  slot: null,
  startedAt: null,
  endedAt: null,
  exitCode: null,
  signal: null,
  result: null,
  reason: null,
  createdAt: 0,
});

describe('rows of bots', () => {
  it('are the same objects on every way until one is written', () => {
    const { bots } = setup();
    const before = bots.get('bot_1');
    expect(bots.list('user_1')[0]).toBe(before);
    expect(bots.all()[0]).toBe(before);
    expect(bots.byName('user_1', 'b')).toBe(before);
    bots.update('bot_1', { status: 'failed' });
    expect(before?.status).toBe('running');
    expect(bots.get('bot_1')?.status).toBe('failed');
    expect(bots.list('user_1')[0]?.status).toBe('failed');
    bots.remove('bot_1');
    expect(bots.get('bot_1')).toBeNull();
  });

  it('never show what a transaction has taken back', () => {
    const { db, bots } = setup();
    bots.get('bot_1');
    const change = db.transaction(() => {
      bots.update('bot_1', { status: 'failed' });
      expect(bots.get('bot_1')?.status).toBe('failed');
      expect(bots.list('user_1')[0]?.status).toBe('failed');
      throw new Error('taken back');
    });
    expect(change).toThrow('taken back');
    expect(bots.get('bot_1')?.status).toBe('running');
    expect(bots.list('user_1')[0]?.status).toBe('running');
  });

  it('show what a transaction has stored', () => {
    const { db, bots } = setup();
    bots.get('bot_1');
    db.transaction(() => bots.update('bot_1', { status: 'failed' }))();
    expect(bots.get('bot_1')?.status).toBe('failed');
  });
});

describe('the last run', () => {
  it('is the same object until a run is written', () => {
    const { db, runs } = setup();
    expect(runs.last('bot_1')).toBeNull();
    runs.insert(run('run_1'));
    const first = runs.last('bot_1');
    expect(first?.status).toBe('starting');
    expect(runs.last('bot_1')).toBe(first);
    runs.started('run_1', 5);
    expect(runs.last('bot_1')).toMatchObject({ status: 'running', startedAt: 5 });
    const end = { status: 'succeeded', endedAt: 6, exitCode: 0, signal: null, result: { a: 1 }, reason: null } as const;
    runs.end('run_1', end);
    expect(runs.last('bot_1')).toMatchObject(end);
    runs.insert(run('run_2', 'skipped'));
    expect(runs.last('bot_1')?.runId).toBe('run_1');
    expect(() =>
      db.transaction(() => {
        runs.insert(run('run_3'));
        expect(runs.last('bot_1')?.runId).toBe('run_3');
        throw new Error('taken back');
      })(),
    ).toThrow('taken back');
    expect(runs.last('bot_1')?.runId).toBe('run_1');
  });
});
