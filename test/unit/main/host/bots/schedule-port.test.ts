import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSchedulePort } from '../../../../../src/main/host/bots/schedule-port.ts';
import { type BotStore, createBotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createRunStore, type RunRow, type RunStore } from '../../../../../src/main/host/control/run-store.ts';
import type { SchedulePort } from '../../../../../src/main/host/schedule/scheduler.ts';
import { IdSource } from '../../../../../src/shared/sortable-ids.ts';
import { noSeal } from '../../../../support/no-seal.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { tempDir } from '../../../../support/temp.ts';

const DUE_AT = Date.parse('2026-01-01T10:00:00Z');
const MINUTE = 60_000;

/** A real control database with one scheduled bot, and the runs that were started. */
class Setup {
  readonly started: RunRow[] = [];
  transactions = 0;
  /** Transactions end before they are stored. */
  fails = false;
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly port: SchedulePort;

  constructor() {
    const dir = tempDir('schedule-port-');
    const now = (): number => DUE_AT + 100;
    const db = openControlDatabase(`${dir}/control.db`, { backupDir: dir, now });
    onTestFinished(() => void db.close());
    db.exec(`
      insert into user values ('user_1', 'owner', 'owner', null, 0);
      insert into custom_bot_version values ('user_1', 'tracker', '1.0.0', '{}', '{}', 'h', 0);
      insert into bot (bot_id, user_id, name, type, custom_bot, version, schedule, config, flat, options, enabled, status, created_at, updated_at)
      values ('bot_1', 'user_1', 'b', 'scheduled', 'tracker', '1.0.0', '* * * * *', '{}', 0, '{}', 1, 'scheduled', 0, 0);
    `);
    this.bots = createBotStore(db, noWishes(), noSeal);
    this.runs = createRunStore(db, noSeal);
    const ids = new IdSource(now, randomBytes);
    this.port = createSchedulePort({
      bots: this.bots,
      runs: this.runs,
      supervisor: { startRun: async (run) => void this.started.push(run) },
      transaction: (work) =>
        db.transaction(() => {
          this.transactions += 1;
          const done = work();
          if (this.fails) throw new Error('cut');
          return done;
        })(),
      newRunId: () => ids.next('run'),
      now,
      onError: (where, error) => {
        throw new Error(where, { cause: error });
      },
    });
  }

  due(scheduledAt: number, missed: readonly number[] = [], missedMore = 0): void {
    this.port.decide([
      { botId: 'bot_1', decidedTo: scheduledAt, run: { scheduledAt, trigger: 'schedule' }, missed, missedMore },
    ]);
  }

  list(): { scheduledAt: number | null; status: string; code: string | undefined }[] {
    return this.runs
      .list('bot_1', 100)
      .map(({ scheduledAt, status, reason }) => ({ scheduledAt, status, code: reason?.code }));
  }
}

describe('due times as rows', () => {
  let setup: Setup;
  beforeEach(() => {
    setup = new Setup();
  });

  it('are started once, however often they are decided', () => {
    setup.due(DUE_AT);
    setup.due(DUE_AT);
    expect(setup.started.map((run) => run.scheduledAt)).toEqual([DUE_AT]);
  });

  it('of several bots are stored by one transaction, all or none, and only then started', () => {
    const of = (botId: string, scheduledAt: number) =>
      ({
        botId,
        decidedTo: scheduledAt,
        run: { scheduledAt, trigger: 'schedule' },
        missed: [],
        missedMore: 0,
      }) as const;
    setup.fails = true;
    expect(() => setup.port.decide([of('bot_1', DUE_AT), of('bot_gone', DUE_AT)])).toThrow('cut');
    expect([setup.started, setup.list(), setup.bots.get('bot_1')?.scheduledFrom]).toEqual([[], [], null]);
    setup.fails = false;
    setup.transactions = 0;
    setup.port.decide([of('bot_1', DUE_AT), of('bot_gone', DUE_AT)]);
    expect([setup.transactions, setup.started.length]).toEqual([1, 1]);
  });

  it('are skipped and recorded while a run is going on', () => {
    setup.due(DUE_AT);
    setup.due(DUE_AT + MINUTE);
    expect(setup.started).toHaveLength(1);
    expect(setup.list()).toEqual([
      { scheduledAt: DUE_AT + MINUTE, status: 'skipped', code: 'OVERLAP' },
      { scheduledAt: DUE_AT, status: 'starting', code: undefined },
    ]);
  });

  it('run side by side where the instance allows it', () => {
    setup.bots.update('bot_1', { options: { overlap: 'allow' } });
    setup.due(DUE_AT);
    setup.due(DUE_AT + MINUTE);
    expect(setup.started.map((run) => run.scheduledAt)).toEqual([DUE_AT, DUE_AT + MINUTE]);
  });

  it('that were missed are recorded, with a count of those beyond', () => {
    setup.due(DUE_AT, [DUE_AT - 2 * MINUTE, DUE_AT - MINUTE], 7);
    const missed = setup.runs.list('bot_1', 100).filter((run) => run.status === 'skipped');
    expect(missed.map((run) => run.reason?.message)).toEqual([
      'Missed while the host was not running',
      'Missed while the host was not running (and 7 earlier ones)',
    ]);
  });

  it('are left alone for a bot that was disabled meanwhile', () => {
    setup.bots.update('bot_1', { enabled: false });
    setup.due(DUE_AT);
    expect([setup.started, setup.list()]).toEqual([[], []]);
    expect(setup.port.enabled()).toEqual([]);
  });
});
