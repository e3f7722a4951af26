import { describe, expect, it, onTestFinished } from 'vitest';
import { BotBus } from '../../../../../src/main/host/bots/bot-bus.ts';
import { assertNotHeld, assertReleased, Holds } from '../../../../../src/main/host/bots/holds.ts';
import { Journal } from '../../../../../src/main/host/bots/journal.ts';
import { type BotRow, createBotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createEventStore } from '../../../../../src/main/host/control/event-store.ts';
import { noSeal } from '../../../../support/no-seal.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { aBot } from '../../../../support/plan-table.ts';
import { tempDir } from '../../../../support/temp.ts';

function setup() {
  const dir = tempDir('holds-');
  const db = openControlDatabase(`${dir}/control.db`, { backupDir: dir, now: () => 0 });
  onTestFinished(() => void db.close());
  db.exec(`
    insert into user values ('user_1', 'owner', 'owner', null, 0);
    insert into custom_bot_version values ('user_1', 'c', '1.0.0', '{}', '{}', 'h', 0);
  `);
  const bots = createBotStore(db, noWishes(), noSeal);
  const events = createEventStore(db);
  const ended: string[] = [];
  let isFull = false;
  const full = (): never => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  const transaction = <T>(work: () => T): T => (isFull ? full() : db.transaction(work)());
  const journal = new Journal({ bots, events, bus: new BotBus(), transaction, now: () => 1000 });
  let ids = 0;
  const supervisor = { held: async (botId: string) => void ended.push(botId), liveRuns: () => [] };
  const newHoldId = (): string => {
    ids += 1;
    return `hold_${ids}`;
  };
  const holds = new Holds({
    bots,
    journal,
    supervisor,
    newHoldId,
    now: () => 1000,
    onError: (where) => expect.unreachable(where),
  });
  bots.insert(aBot());
  const fill = (): void => {
    isFull = true;
  };
  const bot = (): BotRow => bots.get('bot_1') ?? aBot();
  return { bots, events, holds, journal, bot, ended, fill };
}

const codeOf = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
  return null;
};

describe('a panic', () => {
  it('holds a bot with its event, and has its programs end', async () => {
    const { holds, bot, events, ended } = setup();
    await holds.panic(bot(), 'alice');
    expect(bot()).toMatchObject({ enabled: false, nextAttemptAt: null, reason: { code: 'HELD' } });
    expect(bot().hold).toMatchObject({ hold_id: 'hold_1', by: 'panic', who: 'alice', guard_id: null });
    expect(events.list('bot_1', 10)[0]).toMatchObject({ kind: 'held', reason: { code: 'HELD' } });
    expect(ended).toEqual(['bot_1']);
  });

  it('ends programs on a full disk, and is recorded once there is space', async () => {
    const { holds, bot, bots, ended, fill } = setup();
    fill();
    await holds.panic(bot(), 'alice');
    expect(ended).toEqual(['bot_1']);
    expect(bot()).toMatchObject({ enabled: false, hold: { by: 'panic' } });
    const shown = bot().hold;
    // A stop that comes later must not take the hold back.
    bots.wish('bot_1', { wish: 'stop', at: 2000 });
    expect(bot().hold).toEqual(shown);
  });
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
