import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { BotHold } from '../../../../../src/contract/bot.ts';
import { copyDatabase } from '../../../../../src/main/host/control/backup-source.ts';
import { createBotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { type ControlDatabase, openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { settleRestored } from '../../../../../src/main/host/control/restored-control.ts';
import { heldBots } from '../../../../../src/main/host/control/restored-holds.ts';
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

it.each([true, false])('a restore releases no bot that was held since the backup (bots start: %s)', (startBots) => {
  const dir = tempDir('restored-holds-');
  const file = join(dir, 'control.db');
  opened(file, (db) => {
    db.exec(`
      insert into user values ('user_1', 'ann', 'owner', null, 0);
      insert into custom_bot_version values ('user_1', 'c', '1.0.0', '{}', '{}', 'h', 0);
    `);
    createBotStore(db, noWishes(), noSeal).insert(aBot());
  });
  const backup = join(dir, 'backup.db');
  opened(file, () => copyDatabase(file, backup));
  opened(file, (db) => createBotStore(db, noWishes(), noSeal).update('bot_1', { enabled: false, hold: HOLD }));
  const access = { revoked: [], ended: [], users: [], deleted: [] };
  settleRestored(backup, {
    madeAt: 1,
    now: 2,
    startBots,
    held: null,
    holds: heldBots(file),
    access,
    pins: null,
    place: null,
  });
  const restored = opened(backup, (db) => createBotStore(db, noWishes(), noSeal).get('bot_1'));
  expect(restored).toMatchObject({ enabled: false, status: 'stopped', hold: HOLD, reason: { code: 'HELD' } });
});

it('a folder without a sound database holds none', () => {
  const dir = tempDir('restored-holds-');
  expect(heldBots(join(dir, 'none.db')).size).toBe(0);
  const strange = new Database(join(dir, 'strange.db'));
  strange.exec('create table bot(bot_id text)');
  strange.close();
  expect(heldBots(join(dir, 'strange.db')).size).toBe(0);
});
