import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { type ControlDatabase, openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createGuardStore } from '../../../../../src/main/host/control/guard-store.ts';
import { heldAccess } from '../../../../../src/main/host/control/restored-access.ts';
import { settleRestored } from '../../../../../src/main/host/control/restored-control.ts';
import { tempDir } from '../../../../support/temp.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

/** A restored control database with two bots, which had this as well in its backup. */
function restoredFrom(fill: (db: ControlDatabase) => void = () => undefined): ControlDatabase {
  const dir = tempDir('restored-');
  const file = `${dir}/control.db`;
  const db = openControlDatabase(file, { backupDir: dir, now: () => NOW });
  db.exec(`
    insert into user values ('u', 'owner', 'owner', null, 0);
    insert into custom_bot_version values ('u', 'tracker', '1.0.0', '{}', '{}', 'h', 0);
    insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at,
      updated_at, generation)
    values ('few', 'u', 'a', 'realtime', 'tracker', '1.0.0', '{}', 0, '{}', 0, 'stopped', 0, 0, 3),
      ('restored before', 'u', 'b', 'realtime', 'tracker', '1.0.0', '{}', 0, '{}', 0, 'stopped', 0, 0, ${NOW + 5});
  `);
  fill(db);
  db.close();
  const access = heldAccess(`${dir}/none.db`, `${dir}/none`);
  settleRestored(file, {
    madeAt: NOW - 1,
    now: NOW,
    startBots: false,
    held: null,
    holds: new Map(),
    access,
    guards: [],
    networks: new Map(),
    pins: null,
    place: null,
  });
  const restored = new Database(file, { readonly: true });
  onTestFinished(() => void restored.close());
  return restored;
}

it('gives restored bots a generation that nobody has read since the backup', () => {
  const restored = restoredFrom();
  expect(restored.prepare('select bot_id, generation from bot order by bot_id').all()).toEqual([
    { bot_id: 'few', generation: NOW },
    { bot_id: 'restored before', generation: NOW + 6 },
  ]);
});

it('has guards go on from new rows, with what they know', () => {
  const restored = restoredFrom((db) => {
    const store = createGuardStore(db);
    store.put({ guardId: 'g', botId: 'few', kind: 'daily_loss', symbol: '', spec: {}, state: { told: '150' } });
    store.setCursor('few', 7);
  });
  const store = createGuardStore(restored);
  expect([store.cursor('few'), store.all()[0]?.state]).toEqual([null, { told: '150' }]);
});

it('keeps deleted bots for as long as after their deletion, however old the backup is', () => {
  const restored = restoredFrom((db) => {
    db.exec(
      `update bot set name = '\u0001few', trash_name = 'a', trash = '{"at":1,"by":"ann","inPerson":true}' where bot_id = 'few'`,
    );
  });
  const rows = restored
    .prepare("select bot_id, trash ->> '$.at' as at, trash ->> '$.by' as by from bot order by bot_id")
    .all();
  expect(rows).toEqual([
    { bot_id: 'few', at: NOW, by: 'ann' },
    { bot_id: 'restored before', at: null, by: null },
  ]);
});
