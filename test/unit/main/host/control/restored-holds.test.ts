import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { BotHold } from '../../../../../src/contract/bot.ts';
import { copyDatabase } from '../../../../../src/main/host/control/backup-source.ts';
import { type BotRow, createBotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { type ControlDatabase, openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { settleRestored } from '../../../../../src/main/host/control/restored-control.ts';
import { heldBots } from '../../../../../src/main/host/control/restored-holds.ts';
import { type Wish, Wishes } from '../../../../../src/main/host/control/wishes.ts';
import { noSeal } from '../../../../support/no-seal.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { aBot } from '../../../../support/plan-table.ts';
import { tempDir } from '../../../../support/temp.ts';

const HOLD: BotHold = {
  hold_id: 'hold_1',
  by: 'panic',
  since: '2026-01-01T00:00:00.000Z',
  guard_id: null,
  who: 'ann',
  message: 'Stopped by a panic of ann',
};

function opened<T>(file: string, work: (db: ControlDatabase) => T): T {
  const db = openControlDatabase(file, { backupDir: join(file, '..', 'backups'), now: () => 0 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** A data folder with an enabled bot, and a backup of it. */
function place() {
  const dir = tempDir('restored-holds-');
  const [file, backup, wishFile] = [join(dir, 'control.db'), join(dir, 'backup.db'), join(dir, 'wishes')];
  opened(file, (db) => {
    db.exec(`
      insert into user values ('user_1', 'ann', 'owner', null, 0);
      insert into custom_bot_version values ('user_1', 'c', '1.0.0', '{}', '{}', 'h', 0);
    `);
    createBotStore(db, noWishes(), noSeal).insert(aBot());
  });
  opened(file, () => copyDatabase(file, backup));
  const restore = (startBots: boolean): BotRow | null => {
    const access = { revoked: [], ended: [], users: [], deleted: [] };
    const holds = heldBots(file, wishFile);
    settleRestored(backup, {
      ...{ madeAt: 1, now: 2, startBots, held: null, holds, access, pins: null, place: null },
      ...{ guards: [], networks: new Map() },
    });
    return opened(backup, (db) => createBotStore(db, noWishes(), noSeal).get('bot_1'));
  };
  /** A host whose disk is full leaves a wish. */
  const wish = (wished: Wish): void => {
    const wishes = new Wishes(wishFile);
    wishes.keep('bot_1', wished);
    expect(wishes.store('bot_1')).toBe(true);
    wishes.close();
  };
  return { file, restore, wish };
}

const hold = (file: string): void =>
  opened(file, (db) => createBotStore(db, noWishes(), noSeal).update('bot_1', { enabled: false, hold: HOLD }));

describe.each([true, false])('a restore (bots start: %s)', (startBots) => {
  it('releases no bot that was held since the backup', () => {
    const { file, restore } = place();
    hold(file);
    expect(restore(startBots)).toMatchObject({
      ...{ enabled: false, status: 'stopped', hold: HOLD, reason: { code: 'HELD' } },
    });
  });

  it('releases none whose hold a full disk kept out of the database', () => {
    const { restore, wish } = place();
    wish({ wish: 'hold', at: 1000, guard: 'guard_1' });
    expect(restore(startBots)).toMatchObject({
      ...{ enabled: false, status: 'stopped', reason: { code: 'HELD' } },
      hold: { by: 'guard', guard_id: 'guard_1', since: '1970-01-01T00:00:01.000Z' },
    });
  });

  it('starts none whose stop a full disk kept out of the database', () => {
    const { restore, wish } = place();
    wish({ wish: 'stop', at: 1000 });
    expect(restore(startBots)).toMatchObject({
      ...{ enabled: false, status: 'stopped', hold: null },
      reason: { code: 'RESTORED', message: expect.stringContaining('stopped after the backup') },
    });
  });

  it('keeps a hold that a later stop does not end', () => {
    const { file, restore, wish } = place();
    hold(file);
    wish({ wish: 'stop', at: Date.parse(HOLD.since) + 1 });
    expect(restore(startBots)).toMatchObject({ enabled: false, hold: HOLD, reason: { code: 'HELD' } });
  });
});

it('a folder without a sound database holds none', () => {
  const dir = tempDir('restored-holds-');
  expect(heldBots(join(dir, 'none.db'), join(dir, 'wishes')).size).toBe(0);
  const strange = new Database(join(dir, 'strange.db'));
  strange.exec('create table bot(bot_id text)');
  strange.close();
  expect(heldBots(join(dir, 'strange.db'), join(dir, 'wishes')).size).toBe(0);
});
