import { describe, expect, it } from 'vitest';
import type { LiveBatch, MetricEvent } from '../../../../../src/contract/telemetry.ts';
import { createGuardStore } from '../../../../../src/main/host/control/guard-store.ts';
import { Guards, TICK_MS } from '../../../../../src/main/host/guards/guards.ts';
import type { LiveSink } from '../../../../../src/main/host/logs/telemetry-types.ts';
import { botToHold, codeOf, reopened } from '../../../../support/bot-to-hold.ts';
import { fullRounds } from '../../../../support/proof.ts';
import { SeededRandom } from '../../../../support/seeded-random.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
class Died extends Error {}

/** A folder with a bot whose log has rows, and hosts that come and go on it. */
function setup(here = botToHold({ status: 'running' }), log: MetricEvent[] = []) {
  const { db, bots, events, newId } = here;
  const store = createGuardStore(db);
  return {
    ...{ ...here, store, log },
    /** The same folder as the next host reads it. */
    nextHost: () => setup(reopened(here), log),
    fired: () => events.list('bot_1', 1000).filter(({ kind }) => kind === 'guard_fired'),
    /** `dies` is asked before and after each transaction, and throws in a host that ends there. Without `begins` no log opens. */
    host(dies: () => void = () => undefined, { begins = true } = {}) {
      const clock = { steady: 0 };
      let sink: LiveSink | null = null;
      const now = (): number => NOON;
      const onError = (_: string, error: unknown): void => {
        if (error instanceof Died) throw error;
      };
      const { transaction, journal, holds, settle } = here.host(now, onError, dies);
      const telemetry = {
        subscribe: async (_: string, after: number | null, given: LiveSink) => {
          sink = given;
          expect(given.behind).toBe('judged');
          if (begins) given.start?.(after ?? log.length);
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
        settle,
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

  it.each(['by the host that saw it', 'by the next host'])(
    'keeps its event and its hold on a full disk, recorded %s, and fires for no value twice',
    async (by) => {
      const here = setup();
      const first = here.host();
      first.guards.set(LOSS, true);
      first.guards.start();
      await Promise.resolve();
      first.guards.tick();
      here.write('equity', { value: 1000 });
      here.write('equity', { value: 850 });
      here.disk.isFull = true;
      first.read(0, 2, 10);
      expect(here.ended).toEqual(['bot_1']);
      const [{ guard_id } = { guard_id: '' }] = first.guards.list('bot_1');
      const hold = { by: 'guard', guard_id, message: 'Guard daily_loss fired: 150 has reached the limit of 100' };
      expect(here.bot()).toMatchObject({ enabled: false, hold });
      const kept = here.bot().hold;
      // The next host knows what the slot of the wish has room for.
      const words = by === 'by the next host' ? expect.stringMatching(/^A guard fired while the disk/) : hold.message;
      const later = by === 'by the next host' ? here.nextHost() : here;
      const host = by === 'by the next host' ? later.host() : first;
      host.guards.start();
      await Promise.resolve();
      host.read(0, 2, 10);
      expect(later.fired()).toEqual([]);
      here.disk.isFull = false;
      later.disk.isFull = false;
      host.settle();
      expect(later.bot().hold).toEqual({ ...kept, message: words });
      expect(later.fired()).toMatchObject([{ reason: { code: 'GUARD_FIRED', message: words } }]);
      host.clock.steady += TICK_MS;
      host.guards.tick();
      await Promise.resolve();
      host.read(0, 2, 10);
      // A person starts it: the loss that the guard has fired for is no further loss.
      later.bots.update('bot_1', { hold: null, enabled: true });
      later.write('equity', { value: 850 });
      host.read(2, 3, 10);
      expect(later.fired().length).toBe(1);
      later.write('equity', { value: 840 });
      host.read(3, 4, 10);
      expect(later.fired().length).toBe(2);
      for (const { guards } of [first, host]) guards.close();
    },
  );

  it('fires for the worst row of a batch that ends within the limit', async () => {
    const here = setup();
    const { guards, read } = here.host();
    guards.set(LOSS, true);
    await Promise.resolve();
    for (const value of [1000, 850, 820, 990]) here.write('equity', { value });
    read(0, 4, 10);
    expect(here.fired().map(({ reason }) => reason?.message)).toEqual([
      'Guard daily_loss fired: 180 has reached the limit of 100',
    ]);
    expect([here.bot().hold?.by, guards.list('bot_1')[0]?.value]).toEqual(['guard', '10']);
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

describe('a guard whose state could not be stored', () => {
  it('stores it with the next chance', async () => {
    const here = setup();
    const { guards, read, clock } = here.host();
    const tick = (isFull: boolean): void => {
      here.disk.isFull = isFull;
      clock.steady += TICK_MS;
      guards.tick();
    };
    guards.set(LOSS, true);
    await Promise.resolve();
    tick(false);
    here.write('equity', { value: 1000 });
    read(0, 1, 10);
    tick(true);
    expect(here.store.cursor('bot_1')).toBe(0);
    for (const _ of [3, 4]) tick(false);
    expect(here.store.cursor('bot_1')).toBe(1);
    guards.close();
  });

  it('fires in the next host, although this one closes in good order', async () => {
    const here = setup();
    const fault = { is: false };
    const first = here.host(() => {
      if (fault.is) throw new Error('the disk refuses');
    });
    first.guards.set(LOSS, true);
    await Promise.resolve();
    for (const value of [1000, 850]) here.write('equity', { value });
    fault.is = true;
    first.read(0, 2, 10);
    expect([here.fired(), here.bot().hold]).toEqual([[], null]);
    fault.is = false;
    first.guards.close();
    const later = here.nextHost();
    const { guards, read } = later.host();
    guards.start();
    await Promise.resolve();
    read(later.store.cursor('bot_1') ?? 0, 2, 10);
    expect([later.fired().length, later.bot().hold?.by]).toEqual([1, 'guard']);
    guards.close();
  });
});

it('counts no row twice for a guard that is set before its bot is followed again', async () => {
  const here = setup();
  const fault = { is: false };
  const { guards, read, clock } = here.host(() => {
    if (fault.is) throw new Error('the disk refuses');
  });
  const limit = { bot_id: 'bot_1', kind: 'position_limit', action: 'alarm' } as const;
  guards.set({ ...limit, limit: '10' }, true);
  guards.start();
  await Promise.resolve();
  guards.tick();
  here.write('fill', { symbol: 'X', side: 'BUY', quantity: '12' });
  fault.is = true;
  read(0, 1, 10);
  fault.is = false;
  expect(guards.list('bot_1')[0]?.value).toBe('0');
  guards.set({ ...limit, limit: '9' }, false);
  clock.steady += TICK_MS;
  guards.tick();
  await Promise.resolve();
  read(0, 1, 10);
  expect([guards.list('bot_1')[0]?.value, here.fired().length]).toEqual(['12', 1]);
  guards.close();
});

it('a guard that fires by time keeps that, also before the log of its bot is open', () => {
  const here = setup();
  const { guards, clock } = here.host(undefined, { begins: false });
  guards.set({ bot_id: 'bot_1', kind: 'silent_for', limit: '1', unit: 'seconds' }, true);
  for (let at = 0; at < 4; at++) {
    guards.tick();
    clock.steady += TICK_MS;
  }
  expect(here.fired().length).toBe(1);
  expect(here.store.all()[0]?.state).toMatchObject({ told: '1', firedAt: NOON });
  expect(here.store.cursor('bot_1')).toBeNull();
  guards.close();
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
