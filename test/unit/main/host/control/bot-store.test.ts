import { expect, it, onTestFinished } from 'vitest';
import { createBotStore, UNRECORDED } from '../../../../../src/main/host/control/bot-store.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { noSeal } from '../../../../support/no-seal.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { tempDir } from '../../../../support/temp.ts';

function storeWithBot() {
  const dir = tempDir('bot-store-');
  const db = openControlDatabase(`${dir}/control.db`, { backupDir: dir, now: () => 0 });
  onTestFinished(() => void db.close());
  db.exec(`
    insert into user values ('user_1', 'owner', 'owner', null, 0);
    insert into custom_bot_version values ('user_1', 'tracker', '1.0.0', '{}', '{}', 'h', 0);
    insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at, updated_at)
    values ('bot_1', 'user_1', 'b', 'scheduled', 'tracker', '1.0.0', '{}', 0, '{}', 1, 'running', 0, 0);
  `);
  return createBotStore(db, noWishes(), noSeal);
}

it('a reason that a wish adds to a bot goes with the wish, also when the bot was written meanwhile', () => {
  const bots = storeWithBot();
  const why = { code: 'LOST', message: 'It was lost', hint: '', at: '2026-01-01T00:00:00.000Z' };
  bots.update('bot_1', { reason: why });
  bots.wish('bot_1', { wish: 'stop', at: 1 });
  const reason = bots.get('bot_1')?.reason ?? null;
  expect(reason?.code).toBe(UNRECORDED);
  // As who records the end of its run does.
  bots.update('bot_1', { status: 'stopped', reason });
  expect(bots.get('bot_1')?.reason?.code).toBe(UNRECORDED);
  bots.dropWish('bot_1');
  expect(bots.get('bot_1')).toMatchObject({ status: 'stopped', reason: why });
});

it('a stop that comes after a deletion which the disk has not taken leaves that as it is', () => {
  const bots = storeWithBot();
  bots.wish('bot_1', { wish: 'delete', at: 1 });
  bots.wish('bot_1', { wish: 'stop', at: 2 });
  expect(bots.wishes()).toEqual([['bot_1', { wish: 'delete', at: 1 }]]);
  expect(bots.get('bot_1')).toMatchObject({ deleting: true });
  // Nor does a stop keep a bot that its user deletes.
  bots.dropWish('bot_1');
  bots.wish('bot_1', { wish: 'stop', at: 3 });
  bots.wish('bot_1', { wish: 'delete', at: 4 });
  expect(bots.wishes()).toEqual([['bot_1', { wish: 'delete', at: 4 }]]);
});

it('gives the name of a bot in the trash to others, and gives it its own back', () => {
  const bots = storeWithBot();
  const gone = { at: 1, by: 'ann', inPerson: true };
  bots.update('bot_1', { trash: gone });
  expect(bots.get('bot_1')).toMatchObject({ name: 'b', trash: gone });
  expect([bots.list('user_1'), bots.byName('user_1', 'b'), bots.all().length]).toEqual([[], null, 1]);
  expect(bots.trashed().map(({ botId }) => botId)).toEqual(['bot_1']);
  expect(bots.using('user_1', 'tracker')).toEqual([{ name: 'b', version: '1.0.0', isTrashed: true }]);
  const row = bots.get('bot_1');
  if (row === null) throw new Error('it is gone');
  // Two of one name are in the trash, and a third one lives.
  bots.insert({ ...row, botId: 'bot_2', trash: null });
  bots.update('bot_2', { trash: gone });
  bots.insert({ ...row, botId: 'bot_3', trash: null });
  expect(bots.trashed().map(({ name }) => name)).toEqual(['b', 'b']);
  expect(() => bots.update('bot_1', { trash: null })).toThrow(/UNIQUE/);
  bots.update('bot_1', { trash: null, name: 'b 2' });
  expect(bots.list('user_1').map(({ botId, name }) => [botId, name])).toEqual([
    ['bot_1', 'b 2'],
    ['bot_3', 'b'],
  ]);
  bots.remove('bot_3');
  bots.update('bot_2', { trash: null });
  expect(bots.byName('user_1', 'b')?.botId).toBe('bot_2');
});

it('a deletion that the disk has not taken is seen at once, and weaker than the removal of everything', () => {
  const bots = storeWithBot();
  bots.wish('bot_1', { wish: 'trash', at: 1 });
  expect(bots.get('bot_1')).toMatchObject({ enabled: false, deleting: false, trash: { at: 1, inPerson: true } });
  expect([bots.list('user_1'), bots.trashed().length]).toEqual([[], 1]);
  bots.wish('bot_1', { wish: 'hold', at: 2 });
  expect(bots.wishes()).toEqual([['bot_1', { wish: 'trash', at: 1 }]]);
  bots.wish('bot_1', { wish: 'delete', at: 3 });
  expect(bots.get('bot_1')).toMatchObject({ deleting: true });
  bots.wish('bot_1', { wish: 'trash', at: 4 });
  expect(bots.wishes()).toEqual([['bot_1', { wish: 'delete', at: 3 }]]);
});
