import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import {
  createPlaceStore,
  originsOf,
  settlePlace,
} from '../../../../../src/main/host/control/data-folder-place-record.ts';
import { settleRestored } from '../../../../../src/main/host/control/restored-control.ts';
import { hostIdOf } from '../../../../../src/node/host-id.ts';
import { COPIED } from '../../../../../src/shared/waiting-reasons.ts';
import { tempDir } from '../../../../support/temp.ts';

const now = (): number => 1_000_000;

function open(dir: string) {
  const db = openControlDatabase(join(dir, 'control.db'), { backupDir: join(dir, 'backups'), now });
  onTestFinished(() => void db.close());
  return db;
}

/** A folder with a bot that runs; its place is named, so that this test shows the same in a container. */
function folder() {
  const dir = tempDir();
  const db = open(dir);
  // What publishes a version is not the matter here.
  db.pragma('foreign_keys = OFF');
  db.exec("insert into user (user_id, name, role, created_at) values ('u', 'me', 'owner', 1)");
  const bot = db.prepare(
    `insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, engine, enabled, deleting,
     epoch, status, restarts, failures, created_at, updated_at)
     values (?, 'u', ?, 'realtime', 'c', '1', '{}', 0, '{}', 'process', ?, 0, 1, ?, 0, 0, 1, 1)`,
  );
  bot.run('b1', 'one', 1, 'running');
  bot.run('b2', 'two', 0, 'stopped');
  db.exec(
    "insert into run (run_id, bot_id, version, status, trigger, created_at) values ('r', 'b1', '1', 'running', 'deploy', 1)",
  );
  db.exec(
    `insert into unit (run_id, role, bot_id, engine, epoch, handle, secrets, created_at) values ('r', 'bot', 'b1', 'process', 1, '{"pid":5}', '[]', 1)`,
  );
  return { dir, db };
}

const bots = (db: ReturnType<typeof open>) =>
  db
    .prepare("select bot_id as id, enabled, status, json_extract(reason, '$.code') as code from bot order by bot_id")
    .all();

const RUNNING = [
  { id: 'b1', enabled: 1, status: 'running', code: null },
  { id: 'b2', enabled: 0, status: 'stopped', code: null },
];

describe('the record of a place', () => {
  it('records the place of a folder of an earlier release without a question', async () => {
    const { dir, db } = folder();
    expect((await settlePlace(db, dir, 'here', now)).arrival).toBeNull();
    expect((await settlePlace(db, dir, 'here', now)).arrival).toBeNull();
    expect(bots(db)).toEqual(RUNNING);
    expect(db.prepare('select count(*) as n from unit').get()).toEqual({ n: 1 });
  });

  it('has all bots wait elsewhere, with an id of its own, and remembers what the original runs until it is accepted', async () => {
    const { dir, db } = folder();
    await settlePlace(db, dir, 'here', now);
    const before = hostIdOf(dir);
    const { arrival } = await settlePlace(db, dir, 'there', now);
    expect(arrival).toEqual({
      at: 1_000_000,
      from: [dir],
      programs: [{ botId: 'b1', engine: 'process', handle: '{"pid":5}' }],
    });
    expect(hostIdOf(dir)).not.toBe(before);
    expect(bots(db)).toEqual([
      { id: 'b1', enabled: 0, status: 'stopped', code: COPIED },
      { id: 'b2', enabled: 0, status: 'stopped', code: null },
    ]);
    expect(db.prepare('select status from run').get()).toEqual({ status: 'lost' });
    // A restart here changes nothing of it; on the way back nothing is forgotten.
    expect((await settlePlace(db, dir, 'there', now)).arrival).toEqual(arrival);
    expect((await settlePlace(db, dir, 'here', now)).arrival?.programs).toEqual(arrival?.programs);
    createPlaceStore(db).accept();
    expect((await settlePlace(db, dir, 'here', now)).arrival).toBeNull();
  });

  it('keeps every place since somebody said last where the folder belongs, and is none of them itself', async () => {
    const { dir, db } = folder();
    await settlePlace(db, dir, 'first', now);
    const kept = JSON.parse(String(db.prepare("select value from setting where name = 'place'").pluck().get()));
    const store = (record: object): void =>
      void db.prepare("update setting set value = ? where name = 'place'").run(JSON.stringify(record));
    // As a release stored it that kept the last place alone.
    const arrival = { at: 1, from: '/first', programs: [] };
    store({ place: { ...kept.place, path: '/second' }, arrival });
    expect(originsOf(createPlaceStore(db).get())).toEqual(['/first']);
    const { place, arrival: next } = await settlePlace(db, dir, 'third', now);
    expect(next?.from).toEqual(['/first', '/second']);
    store({ place: { ...place, name: 'fourth' }, arrival: next });
    await settlePlace(db, dir, 'fifth', now);
    expect(createPlaceStore(db).get().arrival?.from).toEqual(['/first', '/second', dir]);
    expect(originsOf(createPlaceStore(db).get())).toEqual(['/first', '/second']);
    createPlaceStore(db).accept();
    expect((await settlePlace(db, dir, 'sixth', now)).arrival?.from).toEqual([dir]);
  });

  it('is not taken from a backup: what waited for a move waits for its restore', async () => {
    const { dir, db } = folder();
    await settlePlace(db, dir, 'here', now);
    await settlePlace(db, dir, 'there', now);
    db.close();
    const other = tempDir();
    cpSync(join(dir, 'control.db'), join(other, 'control.db'));
    settleRestored(join(other, 'control.db'), {
      madeAt: 1,
      now: now(),
      startBots: false,
      held: null,
      holds: new Map(),
      guards: [],
      networks: new Map(),
      access: { revoked: [], ended: [], users: [], deleted: [] },
      pins: null,
      place: null,
    });
    const restored = open(other);
    expect((await settlePlace(restored, other, 'elsewhere', now)).arrival).toBeNull();
    expect(bots(restored)[0]).toEqual({ id: 'b1', enabled: 0, status: 'stopped', code: 'RESTORED' });
  });
});
