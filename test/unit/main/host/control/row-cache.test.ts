import { describe, expect, it, onTestFinished } from 'vitest';
import { createBotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createRunStore, type RunRow, type UnitRow } from '../../../../../src/main/host/control/run-store.ts';
import { noSeal } from '../../../../support/no-seal.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { tempDir } from '../../../../support/temp.ts';

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
  return { db, bots: createBotStore(db, noWishes(), noSeal), runs: createRunStore(db, noSeal) };
}

const run = (runId: string, status: RunRow['status'] = 'starting'): RunRow => ({
  runId,
  botId: 'bot_1',
  version: '1.0.0',
  trigger: 'deploy',
  status,
  scheduledAt: null,
  startedAt: null,
  endedAt: null,
  exitCode: null,
  signal: null,
  result: null,
  reason: null,
  createdAt: 0,
  mode: 'unverified',
  versionHash: null,
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

  it('tell of a bot whose stop a full disk keeps from being recorded', () => {
    const { bots } = setup();
    bots.wish('bot_1', { wish: 'stop', at: 1 });
    bots.endIsOver('bot_1', 2);
    expect(bots.get('bot_1')).toMatchObject({
      enabled: false,
      status: 'stopped',
      reason: { code: 'UNRECORDED', message: expect.stringContaining('disk refuses changes') },
    });
    bots.dropWish('bot_1');
    expect(bots.get('bot_1')).toMatchObject({ enabled: true, status: 'running', reason: null });
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

describe('lists of bots', () => {
  const more = (db: ReturnType<typeof setup>['db'], from: number, to: number): void => {
    const copy = db.prepare(
      `insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at, updated_at)
       select ?, user_id, ?, type, custom_bot, version, config, flat, options, enabled, status, created_at, updated_at
       from bot where bot_id = 'bot_1'`,
    );
    db.transaction(() => {
      for (let n = from; n <= to; n++) copy.run(`bot_${n}`, `b ${n}`);
    })();
  };

  it('read no row again that nobody has written, however many there are', () => {
    const { db, bots } = setup();
    more(db, 2, 10_002);
    const before = new Set(bots.list('user_1'));
    expect(before.size).toBe(10_002);
    bots.update('bot_7', { status: 'failed' });
    const fresh = bots.list('user_1').filter((row) => !before.has(row));
    expect(fresh.map((row) => row.botId)).toEqual(['bot_7']);
  });

  it('hold who came and not who left, in the order of their ids', () => {
    const { bots } = setup();
    const first = bots.list('user_1')[0];
    if (first === undefined) throw new Error('no bot');
    const names = (rows: readonly { readonly botId: string }[]): string[] => rows.map(({ botId }) => botId);
    expect(names(bots.all())).toEqual(['bot_1']);
    bots.insert({ ...first, botId: 'bot_0', name: 'another' });
    bots.insert({ ...first, botId: 'bot_3', name: 'a third' });
    expect(names(bots.list('user_1'))).toEqual(['bot_0', 'bot_1', 'bot_3']);
    bots.update('bot_0', { deleting: true });
    expect(names(bots.list('user_1'))).toEqual(['bot_1', 'bot_3']);
    expect(names(bots.all())).toEqual(['bot_0', 'bot_1', 'bot_3']);
    bots.remove('bot_0');
    expect(names(bots.all())).toEqual(['bot_1', 'bot_3']);
    expect(bots.list('user_2')).toEqual([]);
  });

  it('hold who left in a transaction that was taken back', () => {
    const { db, bots } = setup();
    expect(bots.all()).toHaveLength(1);
    const change = db.transaction(() => {
      bots.remove('bot_1');
      expect(bots.all()).toEqual([]);
      throw new Error('taken back');
    });
    expect(change).toThrow('taken back');
    expect(bots.all()).toHaveLength(1);
  });
});

const unit = (runId: string): UnitRow => ({
  runId,
  botId: 'bot_1',
  role: 'bot',
  engine: 'process',
  epoch: 1,
  handle: '{}',
  deadline: null,
  secrets: [],
  createdAt: 0,
});

describe('units of a bot', () => {
  it('are found whoever stored them: this host, an earlier one, or one whose removal was taken back', () => {
    const { db, runs } = setup();
    const ofBot = (store = runs): string[] => store.unitsOf('bot_1').map(({ runId }) => runId);
    runs.insert(run('run_1'));
    expect(ofBot()).toEqual([]);
    runs.addUnit(unit('run_1'));
    expect(ofBot()).toEqual(['run_1']);
    expect(ofBot(createRunStore(db, noSeal))).toEqual(['run_1']);
    const removal = db.transaction(() => {
      runs.removeUnits('run_1');
      expect(ofBot()).toEqual([]);
      throw new Error('taken back');
    });
    expect(removal).toThrow('taken back');
    expect(ofBot()).toEqual(['run_1']);
    runs.removeUnits('run_1');
    expect(ofBot()).toEqual([]);
    expect(runs.unitsOf('bot_2')).toEqual([]);
  });

  it('are found without a look at those of others', () => {
    const { db } = setup();
    const plan = db
      .prepare<[], { detail: string }>(
        "explain query plan select * from unit where bot_id = 'bot_1' order by created_at",
      )
      .all();
    expect(plan[0]?.detail).toContain('unit_bot');
  });
});

describe('whether a run goes on', () => {
  it('is told by bot, without a look at the runs of others', () => {
    const { db, bots, runs } = setup();
    const bot = bots.get('bot_1');
    if (bot === null) throw new Error('no bot');
    bots.insert({ ...bot, botId: 'bot_2', name: 'another' });
    // A row that no reader can read.
    runs.insert({ ...run('run_2', 'running'), botId: 'bot_2' });
    db.exec("update run set result = '{' where run_id = 'run_2'");
    expect(runs.goesOn('bot_1')).toBe(false);
    runs.insert(run('run_1'));
    expect(runs.goesOn('bot_1')).toBe(true);
    runs.end('run_1', { status: 'lost', endedAt: 6, exitCode: null, signal: null, result: null, reason: null });
    expect(runs.goesOn('bot_1')).toBe(false);
  });
});

describe('the last run', () => {
  it('is not read again when a run of another bot changes', () => {
    const { bots, runs } = setup();
    const bot = bots.get('bot_1');
    if (bot === null) throw new Error('no bot');
    bots.insert({ ...bot, botId: 'bot_2', name: 'another' });
    runs.insert(run('run_1'));
    runs.insert({ ...run('run_2'), botId: 'bot_2' });
    const last = runs.last('bot_1');
    runs.started('run_2', 5, { mode: 'paper', versionHash: 'h' });
    runs.end('run_2', { status: 'lost', endedAt: 6, exitCode: null, signal: null, result: null, reason: null });
    expect(runs.last('bot_1')).toBe(last);
    expect(runs.last('bot_2')).toMatchObject({ status: 'lost', startedAt: 5 });
  });

  it('is the same object until a run is written', () => {
    const { db, runs } = setup();
    expect(runs.last('bot_1')).toBeNull();
    runs.insert(run('run_1'));
    const first = runs.last('bot_1');
    expect(first?.status).toBe('starting');
    expect(runs.last('bot_1')).toBe(first);
    runs.started('run_1', 5, { mode: 'paper', versionHash: 'h' });
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
