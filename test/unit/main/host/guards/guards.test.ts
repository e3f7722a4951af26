import { describe, expect, it, onTestFinished } from 'vitest';
import type { LiveBatch, MetricEvent } from '../../../../../src/contract/telemetry.ts';
import { BotBus } from '../../../../../src/main/host/bots/bot-bus.ts';
import { Holds } from '../../../../../src/main/host/bots/holds.ts';
import { Journal } from '../../../../../src/main/host/bots/journal.ts';
import { createBotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createEventStore } from '../../../../../src/main/host/control/event-store.ts';
import { createGuardStore } from '../../../../../src/main/host/control/guard-store.ts';
import { Guards, TICK_MS } from '../../../../../src/main/host/guards/guards.ts';
import type { LiveSink } from '../../../../../src/main/host/logs/telemetry-types.ts';
import { noSeal } from '../../../../support/no-seal.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { aBot } from '../../../../support/plan-table.ts';
import { fullRounds } from '../../../../support/proof.ts';
import { SeededRandom } from '../../../../support/seeded-random.ts';
import { tempDir } from '../../../../support/temp.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
class Died extends Error {}

/** A folder with a bot whose log has rows, and hosts that come and go on it. */
function setup() {
  const dir = tempDir('guards-');
  const db = openControlDatabase(`${dir}/control.db`, { backupDir: dir, now: () => 0 });
  onTestFinished(() => void db.close());
  db.exec(`
    insert into user values ('user_1', 'owner', 'owner', null, 0);
    insert into custom_bot_version values ('user_1', 'c', '1.0.0', '{}', '{}', 'h', 0);
  `);
  const bots = createBotStore(db, noWishes(), noSeal);
  const events = createEventStore(db);
  const store = createGuardStore(db);
  bots.insert(aBot({ status: 'running' }));
  const log: MetricEvent[] = [];
  const ended: string[] = [];
  let ids = 0;
  const newId = (prefix: string): string => {
    ids += 1;
    return `${prefix}_${ids}`;
  };
  return {
    ...{ bots, events, store, log, ended },
    bot: () => bots.get('bot_1') ?? aBot(),
    fired: () => events.list('bot_1', 1000).filter(({ kind }) => kind === 'guard_fired'),
    /** `dies` is asked before and after each transaction, and throws in a host that ends there. */
    host(dies: () => void = () => undefined) {
      const clock = { steady: 0 };
      let sink: LiveSink | null = null;
      const transaction = <T>(work: () => T): T => {
        dies();
        const done = db.transaction(work)();
        dies();
        return done;
      };
      const now = (): number => NOON;
      const journal = new Journal({ bots, events, bus: new BotBus(), transaction, now });
      const supervisor = { held: async (botId: string) => void ended.push(botId), liveRuns: () => [] };
      const onError = (_: string, error: unknown): void => {
        if (error instanceof Died) throw error;
      };
      const holds = new Holds({ bots, journal, supervisor, newHoldId: () => newId('hold'), now, onError });
      const telemetry = {
        subscribe: async (_: string, after: number | null, given: LiveSink) => {
          sink = given;
          given.start?.(after ?? log.length);
          return () => {
            sink = null;
          };
        },
      };
      const steady = (): number => clock.steady;
      const guards = new Guards({
        ...{ store, bots, journal, holds, telemetry, transaction, newId },
        now,
        steady,
        onError,
      });
      return {
        guards,
        clock,
        isFollowing: () => sink !== null,
        /** Gives rows up to a seq, from where the guard stands, in batches of this size. */
        read(from: number, to: number, size: number): void {
          for (let at = from; at < to && sink !== null; at += size) {
            const end = Math.min(to, at + size);
            const batch: LiveBatch = { logs: [], metrics: log.slice(at, end), seq: end };
            sink.push(batch);
          }
        },
      };
    },
    write(type: string, data: MetricEvent['data']): void {
      const ts = new Date(NOON).toISOString();
      log.push({ seq: log.length + 1, ts, time: null, type, data, run_id: null });
    },
  };
}

const codeOf = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
  return null;
};
const LOSS = { bot_id: 'bot_1', kind: 'daily_loss', limit: '100' } as const;

describe('a guard that fires', () => {
  it('holds its bot, with the event, the state and the cursor in one transaction', async () => {
    const here = setup();
    const { guards, read } = here.host();
    guards.set(LOSS, true);
    guards.start();
    await Promise.resolve();
    here.write('equity', { value: 1000 });
    here.write('equity', { value: 850 });
    read(0, 2, 10);
    const { hold, enabled, reason } = here.bot();
    expect({ hold, enabled }).toMatchObject({ enabled: false, hold: { by: 'guard', who: null } });
    expect(reason?.code).toBe('HELD');
    expect(here.fired().map(({ reason: why }) => why?.message)).toEqual([
      'Guard daily_loss fired: 150 has reached the limit of 100',
    ]);
    expect([here.ended, here.store.cursor('bot_1')]).toEqual([['bot_1'], 2]);
    expect(guards.list('bot_1')).toMatchObject([{ state: 'fired', value: '150', guard_id: hold?.guard_id }]);
    guards.close();
  });

  it('only tells where it is to alarm', async () => {
    const here = setup();
    const { guards, read } = here.host();
    guards.set({ ...LOSS, action: 'alarm' }, true);
    await Promise.resolve();
    here.write('equity', { value: 1000 });
    here.write('equity', { value: 850 });
    read(0, 2, 10);
    expect([here.bot().hold, here.fired().length, here.ended]).toEqual([null, 1, []]);
    guards.close();
  });

  it('fires once in all, however often hosts die around it', async () => {
    for (let round = 0; round < (fullRounds ? 200 : 10); round++) {
      const here = setup();
      const random = new SeededRandom(round + 1);
      const first = here.host();
      first.guards.set(LOSS, true);
      await Promise.resolve();
      first.guards.tick();
      first.guards.close();
      for (let n = 0; n < 30; n++) here.write('equity', { value: n < 20 ? 1000 : 850 });
      let from = 0;
      for (let life = 0; life < 8; life++) {
        const fuse = { left: life === 7 ? Number.POSITIVE_INFINITY : random.below(6) };
        const { guards, read, clock } = here.host(() => {
          fuse.left -= 1;
          if (fuse.left < 0) throw new Died();
        });
        try {
          guards.start();
          await Promise.resolve();
          from = here.store.cursor('bot_1') ?? from;
          clock.steady += TICK_MS;
          guards.tick();
          read(from, 30, 1 + random.below(5));
        } catch (error) {
          if (!(error instanceof Died)) throw error;
        }
        // A host that died closes nothing, but its timer must not go on in this process.
        fuse.left = -1;
        codeOf(() => guards.close());
      }
      expect([round, here.fired().length, here.bot().hold?.by]).toEqual([round, 1, 'guard']);
    }
  });
});

it('a key may make a guard stricter, and a person alone looser', () => {
  const here = setup();
  const { guards } = here.host();
  guards.set(LOSS, false);
  expect(codeOf(() => guards.set({ ...LOSS, limit: '99.5' }, false))).toBeNull();
  for (const looser of [
    { limit: '100' },
    { action: 'alarm' as const },
    { unit: 'percent' as const, limit: '1' },
    { zone: 'Europe/Berlin', limit: '1' },
  ])
    expect(codeOf(() => guards.set({ ...LOSS, limit: '99.5', ...looser }, false))).toBe('SESSION_REQUIRED');
  expect(codeOf(() => guards.set({ ...LOSS, limit: '100' }, true))).toBeNull();
  expect(guards.list('bot_1').map(({ limit }) => limit)).toEqual(['100']);
  expect(codeOf(() => guards.remove('bot_1', 'guard_none'))).toBe('GUARD_NOT_FOUND');
  guards.remove('bot_1', guards.list('bot_1')[0]?.guard_id ?? '');
  expect(guards.list('bot_1')).toEqual([]);
  guards.close();
});

it.each([
  [{ kind: 'error_rate', unit: 'percent' }, /unit/],
  [{ kind: 'drawdown', symbol: 'X' }, /symbol/],
  [{ zone: 'Mars/Base' }, /zone/],
  [{ kind: 'error_rate', limit: '10001' }, /limit/],
] as const)('refuses %j', (over, message) => {
  const { guards } = setup().host();
  expect(() => guards.set({ ...LOSS, ...over }, true)).toThrow(message);
});

it('follows its bot again after a gap', async () => {
  const here = setup();
  const { guards, isFollowing, clock } = here.host();
  guards.set(LOSS, true);
  guards.start();
  await Promise.resolve();
  guards.remove('bot_1', guards.list('bot_1')[0]?.guard_id ?? '');
  expect(isFollowing()).toBe(false);
  guards.set(LOSS, true);
  await Promise.resolve();
  clock.steady += TICK_MS;
  guards.tick();
  expect([isFollowing(), here.store.cursor('bot_1')]).toEqual([true, 0]);
  guards.close();
});
