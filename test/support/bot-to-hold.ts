import { onTestFinished } from 'vitest';
import { BotBus } from '../../src/main/host/bots/bot-bus.ts';
import { Holds } from '../../src/main/host/bots/holds.ts';
import { Journal } from '../../src/main/host/bots/journal.ts';
import { settleWish } from '../../src/main/host/bots/settle-wish.ts';
import { type BotRow, createBotStore } from '../../src/main/host/control/bot-store.ts';
import { type ControlDatabase, openControlDatabase } from '../../src/main/host/control/control-database.ts';
import { createEventStore } from '../../src/main/host/control/event-store.ts';
import { Wishes } from '../../src/main/host/control/wishes.ts';
import { noSeal } from './no-seal.ts';
import { aBot } from './plan-table.ts';
import { tempDir } from './temp.ts';

/** The code of the error that work throws, or the error itself; null where it throws none. */
export function codeOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
  return null;
}

/** A control database with the bot `bot_1`, on a disk that can be full, and hosts that hold the bot. */
export type BotToHold = ReturnType<typeof opened>;

/** Makes one. */
export function botToHold(over: Partial<BotRow> = {}): BotToHold {
  const dir = tempDir('hold-');
  const db = openControlDatabase(`${dir}/control.db`, { backupDir: dir, now: () => 0 });
  onTestFinished(() => void db.close());
  db.exec(`
    insert into user values ('user_1', 'owner', 'owner', null, 0);
    insert into custom_bot_version values ('user_1', 'c', '1.0.0', '{}', '{}', 'h', 0);
  `);
  const here = opened(db, `${dir}/wishes`);
  here.bots.insert(aBot(over));
  return here;
}

/** The same folder as the next host reads it. */
export const reopened = ({ db, wishesFile }: BotToHold): BotToHold => opened(db, wishesFile);

function opened(db: ControlDatabase, wishesFile: string) {
  const kept = new Wishes(wishesFile);
  onTestFinished(() => kept.close());
  const bots = createBotStore(db, kept, noSeal);
  const events = createEventStore(db);
  const ended: string[] = [];
  const dropped: string[] = [];
  const disk = { isFull: false };
  let ids = 0;
  const newId = (prefix: string): string => {
    ids += 1;
    return `${prefix}_${ids}`;
  };
  return {
    ...{ db, wishesFile, bots, events, disk, newId },
    /** Bots whose programs were told to end, in this order. */
    ended,
    /** Bots of which what waited was dropped. */
    dropped,
    bot: (): BotRow => bots.get('bot_1') ?? aBot(),
    /** `dies` is asked before and after each transaction, and throws in a host that ends there. */
    host(now: () => number, onError: (where: string, error: unknown) => void, dies: () => void = () => undefined) {
      const transaction = <T>(work: () => T): T => {
        dies();
        const done = db.transaction(() => {
          const result = work();
          // As a disk is: it refuses what is written at last, which undoes all of it.
          if (disk.isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
          return result;
        })();
        dies();
        return done;
      };
      const journal = new Journal({ bots, events, bus: new BotBus(), transaction, now });
      const supervisor = { held: async (botId: string) => void ended.push(botId), liveRuns: () => [] };
      const staged = { drop: (botId: string) => void dropped.push(botId) };
      const newHoldId = (): string => newId('hold');
      const holds = new Holds({ bots, journal, supervisor, staged, newHoldId, now, onError });
      const settle = (): void => settleWish({ bots, journal, staged, now, putAway: () => undefined }, 'bot_1');
      return { transaction, journal, holds, settle };
    },
  };
}
