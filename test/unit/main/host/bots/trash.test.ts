import { describe, expect, it } from 'vitest';
import type { LiveRun } from '../../../../../src/main/host/bots/live-run.ts';
import { settleWish } from '../../../../../src/main/host/bots/settle-wish.ts';
import { Tombstones } from '../../../../../src/main/host/bots/tombstones.ts';
import { Trash, type TrashDeps, toTrashedBot } from '../../../../../src/main/host/bots/trash.ts';
import { unrecordedTrash } from '../../../../../src/main/host/control/bot-store.ts';
import { createTombstoneStore } from '../../../../../src/main/host/control/tombstone-store.ts';
import { botToHold, codeOf } from '../../../../support/bot-to-hold.ts';
import { aBot } from '../../../../support/plan-table.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const BY = { by: 'ann', inPerson: true };

function setup() {
  const here = botToHold({ reason: null });
  const { bots, db } = here;
  const clock = { wall: 1000, steady: 0 };
  const now = (): number => clock.wall;
  const { journal } = here.host(now, (where) => expect.unreachable(where));
  const tombstones = new Tombstones({ store: createTombstoneStore(db), hostKey: 'key', now });
  const live: LiveRun[] = [];
  const erased: string[] = [];
  const disarmed: string[] = [];
  const stands = Promise.withResolvers<void>();
  stands.resolve();
  const staged = { drop: (botId: string) => void here.dropped.push(botId) };
  const settle = (botId: string): void => {
    settleWish(
      { bots, journal, staged, now, putAway: (bot) => trash.record(bot, bot.trash ?? unrecordedTrash(now())) },
      botId,
    );
  };
  const deps = {
    ...{ bots, journal, tombstones, now },
    supervisor: {
      liveRuns: () => live,
      whenGone: () => stands.promise,
      reconcile: () => Promise.resolve(),
      exclusively: async (_: string, job: () => unknown) => job(),
    },
    instances: {
      settle,
      erase: async ({ botId }: { botId: string }) => void erased.push(botId),
      nameFree(userId: string, name: string, botId: string) {
        const other = bots.byName(userId, name);
        if (other !== null && other.botId !== botId) throw Object.assign(new Error(name), { code: 'NAME_TAKEN' });
      },
    },
    armings: { disarm: (botId: string) => void disarmed.push(botId) },
    staged,
    records: { of: (bot: unknown) => bot },
    steady: () => clock.steady,
    onError: (where: string) => expect.unreachable(where),
  };
  const trash: Trash = new Trash(deps as unknown as TrashDeps);
  const put = (by = BY) => trash.put(here.bot(), by, () => Promise.resolve());
  return { ...here, trash, put, clock, live, erased, disarmed, tombstones, settle };
}

describe('a deleted bot', () => {
  it('is off, disarmed and out of sight, with its event, and nothing waits of it', async () => {
    const { put, bot, bots, events, disarmed, dropped, trash } = setup();
    await put();
    expect(bot()).toMatchObject({ enabled: false, generation: 2, trash: { at: 1000, ...BY } });
    expect(bots.list('user_1')).toEqual([]);
    expect([disarmed, dropped]).toEqual([['bot_1'], ['bot_1']]);
    expect(events.list('bot_1', 5)).toMatchObject([{ kind: 'deleted', reason: { code: 'DELETED' } }]);
    expect(trash.list('user_1').map(toTrashedBot)).toEqual([
      {
        bot_id: 'bot_1',
        name: 'b',
        type: 'realtime/c',
        version: '1.0.0',
        deleted_at: '1970-01-01T00:00:01.000Z',
        deleted_by: 'ann',
        in_person: true,
        restorable_until: '1970-01-08T00:00:01.000Z',
      },
    ]);
    expect(trash.list('user_2')).toEqual([]);
    await expect(trash.put(bot(), BY, () => Promise.resolve())).rejects.toMatchObject({ code: 'BOT_NOT_FOUND' });
  });

  it('comes back stopped, under its name or another one', async () => {
    const { put, bot, bots, events, trash } = setup();
    await put();
    bots.insert(aBot({ botId: 'bot_2' }));
    await expect(trash.restore(bot(), null, true)).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    expect(bot().trash).not.toBeNull();
    await trash.restore(bot(), 'b 2', true);
    expect(bot()).toMatchObject({ name: 'b 2', trash: null, enabled: false, status: 'stopped', generation: 3 });
    expect(bot().reason).toMatchObject({ code: 'DISABLED', message: 'Stopped since it was restored' });
    expect(events.list('bot_1', 1)).toMatchObject([{ kind: 'restored' }]);
    await expect(trash.restore(bot(), null, true)).rejects.toMatchObject({ code: 'BOT_NOT_FOUND' });
  });

  it('stays held if it was: no restore releases it', async () => {
    const { put, bot, bots, trash } = setup();
    const hold = {
      hold_id: 'h',
      by: 'panic',
      since: '',
      guard_id: null,
      who: 'ann',
      message: 'Stopped by a panic',
    } as const;
    bots.update('bot_1', { enabled: false, hold });
    await put();
    await trash.restore(bot(), null, true);
    expect(bot().hold).toEqual(hold);
  });

  it('is not restored while its program ends', async () => {
    const { put, bot, live, trash } = setup();
    await put();
    live.push({} as LiveRun);
    await expect(trash.restore(bot(), null, true)).rejects.toMatchObject({ code: 'BOT_RUNNING' });
  });

  it('of a person is not made again by a key, also once it is restored by one', async () => {
    const { put, bot, trash, tombstones } = setup();
    await put();
    expect(codeOf(() => tombstones.refuse(bot()))).toBe('DELETED_BY_PERSON');
    await trash.restore(bot(), null, true);
    expect(codeOf(() => tombstones.refuse(bot()))).toBeNull();
  });

  it('of a person is restored by no key within a day, whatever it is called and whether or not it was recorded', async () => {
    const { put, bot, trash, clock, disk, bots } = setup();
    disk.isFull = true;
    await put();
    disk.isFull = false;
    // The wish becomes the record only now.
    await expect(trash.restore(bot(), 'other', false)).rejects.toMatchObject({ code: 'DELETED_BY_PERSON' });
    bots.update('bot_1', { config: { opened: 'since' } });
    await expect(trash.restore(bot(), 'other', false)).rejects.toMatchObject({ code: 'DELETED_BY_PERSON' });
    clock.wall += DAY;
    await trash.restore(bot(), 'other', false);
    expect(bot()).toMatchObject({ name: 'other', trash: null });
  });

  it('of a key that a person removes for good is made again by no key for a day', async () => {
    const { put, bot, trash, tombstones, erased } = setup();
    await put({ by: 'key claude', inPerson: false });
    await trash.erase(bot(), true);
    expect(erased).toEqual(['bot_1']);
    expect(codeOf(() => tombstones.refuse(bot()))).toBe('DELETED_BY_PERSON');
  });

  it('of a key is remembered by nobody', async () => {
    const { put, bot, tombstones } = setup();
    await put({ by: 'key claude', inPerson: false });
    expect(codeOf(() => tombstones.refuse(bot()))).toBeNull();
  });

  it('is deleted on a full disk as well, and recorded once there is space', async () => {
    const { put, bot, bots, disk, settle, events, tombstones, trash } = setup();
    disk.isFull = true;
    await put();
    expect([bots.list('user_1'), bot().trash?.by, bot().enabled]).toEqual([[], 'somebody', false]);
    await expect(trash.restore(bot(), null, true)).rejects.toThrow('full');
    disk.isFull = false;
    settle('bot_1');
    expect([bots.wishes(), bot().trash?.by]).toEqual([[], 'somebody']);
    expect(events.list('bot_1', 5).map(({ kind }) => kind)).toEqual(['deleted']);
    expect(codeOf(() => tombstones.refuse(bot()))).toBe('DELETED_BY_PERSON');
    await trash.restore(bot(), null, true);
    expect(bot().trash).toBeNull();
  });
});

describe('the trash', () => {
  it('is emptied of what was there for 7 days, and of nothing before', async () => {
    const { put, trash, clock, erased } = setup();
    await put();
    clock.wall += 7 * DAY - 1;
    clock.steady += HOUR;
    trash.eraseOld();
    clock.steady += HOUR;
    trash.eraseOld();
    expect(erased).toEqual([]);
    clock.wall += 1;
    trash.eraseOld();
    clock.steady += HOUR - 1;
    trash.eraseOld();
    expect(erased).toEqual([]);
    clock.steady += 1;
    trash.eraseOld();
    expect(erased).toEqual(['bot_1']);
  });

  it('loses nothing to a clock that was wrong for a while', async () => {
    const { put, trash, clock, erased } = setup();
    await put();
    clock.wall += 400 * DAY;
    trash.eraseOld();
    clock.wall -= 400 * DAY;
    clock.steady += 2 * HOUR;
    trash.eraseOld();
    clock.wall += 400 * DAY;
    trash.eraseOld();
    expect(erased).toEqual([]);
  });
});
