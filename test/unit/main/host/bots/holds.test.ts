import { describe, expect, it } from 'vitest';
import { assertNotHeld, assertReleased } from '../../../../../src/main/host/bots/holds.ts';
import { botToHold, codeOf } from '../../../../support/bot-to-hold.ts';

function setup() {
  const here = botToHold();
  const host = here.host(
    () => 1000,
    (where) => expect.unreachable(where),
  );
  return { ...here, ...host };
}

describe('a panic', () => {
  it('holds a bot with its event, has its programs end, and drops what keys have asked of it', async () => {
    const { holds, bot, events, ended, dropped } = setup();
    await holds.panic(bot(), 'alice');
    expect(bot()).toMatchObject({ enabled: false, nextAttemptAt: null, reason: { code: 'HELD' } });
    expect(bot().hold).toMatchObject({ hold_id: 'hold_1', by: 'panic', who: 'alice', guard_id: null });
    expect(events.list('bot_1', 10)[0]).toMatchObject({ kind: 'held', reason: { code: 'HELD' } });
    expect([ended, dropped]).toEqual([['bot_1'], ['bot_1']]);
  });

  it('ends programs on a full disk, and is recorded once there is space', async () => {
    const { holds, bot, bots, events, settle, ended, dropped, disk } = setup();
    disk.isFull = true;
    await holds.panic(bot(), 'alice');
    expect(ended).toEqual(['bot_1']);
    expect(bot()).toMatchObject({ enabled: false, hold: { by: 'panic' } });
    const shown = bot().hold;
    // A stop that comes later must not take the hold back.
    bots.wish('bot_1', { wish: 'stop', at: 2000 });
    expect(bot().hold).toEqual(shown);
    disk.isFull = false;
    dropped.length = 0;
    settle();
    // Nothing that waits for a person brings it back.
    expect(dropped).toEqual(['bot_1']);
    expect([bot().hold, bots.wishes()]).toEqual([shown, []]);
    expect(events.list('bot_1', 10).map(({ kind }) => kind)).toEqual(['held']);
  });
});

it('leaves what keys have asked where a full disk keeps a guard from being recorded, or a stop', () => {
  const { bots, bot, holds, settle, dropped } = setup();
  holds.endUnrecorded(bot(), 'guard_1', 'too much was lost');
  settle();
  expect(bot().hold).toMatchObject({ by: 'guard' });
  bots.wish('bot_1', { wish: 'stop', at: 2000 });
  settle();
  expect(dropped).toEqual([]);
});

describe('a start', () => {
  it('names the hold that it ends', async () => {
    const { holds, bot } = setup();
    expect(codeOf(() => assertReleased(bot(), null))).toBeNull();
    await holds.panic(bot(), 'alice');
    expect(codeOf(() => assertNotHeld(bot()))).toBe('BOT_HELD');
    expect(codeOf(() => assertReleased(bot(), null))).toBe('BOT_HELD');
    expect(codeOf(() => assertReleased(bot(), 'hold_1'))).toBeNull();
    await holds.panic(bot(), 'bob');
    expect(codeOf(() => assertReleased(bot(), 'hold_1'))).toBe('HOLD_UNREAD');
    expect(codeOf(() => assertReleased(bot(), 'hold_2'))).toBeNull();
  });
});
