import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import {
  type ControlDatabase,
  MIGRATIONS,
  openControlDatabase,
} from '../../../../../src/main/host/control/control-database.ts';
import { createPinStore } from '../../../../../src/main/host/control/pin-store.ts';
import { heldPins, keepPins } from '../../../../../src/main/host/control/restored-pins.ts';
import { tempDir } from '../../../../support/temp.ts';

/** The migration that brought PINs. */
const PIN_VERSION = 31;

const open = (file: string): ControlDatabase =>
  openControlDatabase(file, { backupDir: join(file, '..', 'backups'), now: () => 0 });

/** A control database with these users and PINs. */
function folderWith(users: readonly string[], pins: Readonly<Record<string, string>>): string {
  const file = join(tempDir('restored-pins-'), 'control.db');
  const db = open(file);
  for (const id of users) db.prepare("insert into user values (?, ?, 'owner', null, 0)").run(id, id);
  const store = createPinStore(db);
  for (const [id, hash] of Object.entries(pins)) store.put(id, hash, 1);
  db.close();
  return file;
}

function restoredOver(backup: string, folder: string) {
  const held = heldPins(folder);
  const raw = new Database(backup);
  keepPins(raw, held);
  raw.close();
  const db = open(backup);
  const store = createPinStore(db);
  return { db, store };
}

it('a restore brings back no earlier PIN and none that was removed, and forgets no wrong one', () => {
  const folder = folderWith(['ann', 'bob', 'eve'], { ann: 'new', eve: 'of nobody' });
  const before = open(folder);
  createPinStore(before).countWrong('ann', 5);
  before.close();
  const { db, store } = restoredOver(folderWith(['ann', 'bob', 'deb'], { ann: 'old', bob: 'old', deb: 'old' }), folder);
  expect(store.get('ann')).toEqual({ hash: 'new', setAt: 1, wrong: 1, wrongAt: 5 });
  // Who has none here gets none back. A user whom this folder does not know has the one of the backup, and one whom the backup
  // does not know has none.
  expect(store.get('bob')).toBeNull();
  expect(store.get('deb')).toMatchObject({ hash: 'old' });
  expect(store.get('eve')).toBeNull();
  db.close();
});

it('a restore brings back no PIN into a folder in which nobody has one', () => {
  const { db, store } = restoredOver(folderWith(['ann'], { ann: 'old' }), folderWith(['ann'], {}));
  expect(store.get('ann')).toBeNull();
  db.close();
});

it('a restore ends no wait after a reset, and begins none', () => {
  const folder = folderWith(['ann', 'bob'], { ann: 'new' });
  const before = open(folder);
  createPinStore(before).reset('ann', 7);
  before.close();
  const backup = folderWith(['ann', 'bob'], { ann: 'old', bob: 'old' });
  const then = open(backup);
  createPinStore(then).reset('bob', 3);
  then.close();
  const { db, store } = restoredOver(backup, folder);
  expect([store.get('ann'), store.resetAt('ann'), store.resetAt('bob')]).toEqual([null, 7, null]);
  db.close();
});

it('a restore takes the later of two resets of a user who was deleted since', () => {
  const folder = folderWith(['ann', 'bob'], { bob: 'new' });
  const here = open(folder);
  createPinStore(here).reset('bob', 7);
  // As releases have left it that kept the reset of a deleted user.
  here.exec("delete from user where user_id = 'bob'");
  here.close();
  const backup = folderWith(['ann', 'bob'], { bob: 'old' });
  const then = open(backup);
  createPinStore(then).reset('bob', 30);
  then.close();
  const { db, store } = restoredOver(backup, folder);
  expect([store.get('bob'), store.resetAt('bob')]).toEqual([null, 30]);
  db.close();
});

it('a folder that is lost or of an earlier release leaves the PINs of the backup', () => {
  const missing = join(tempDir('restored-pins-'), 'none.db');
  const { db, store } = restoredOver(folderWith(['ann'], { ann: 'old' }), missing);
  expect(store.get('ann')).toMatchObject({ hash: 'old' });
  db.close();
});

it('a backup of a release without PINs keeps those of the folder', () => {
  const backup = join(tempDir('restored-pins-'), 'control.db');
  const raw = new Database(backup);
  for (const { version, sql } of MIGRATIONS.filter((step) => step.version < PIN_VERSION)) {
    raw.exec(sql);
    raw.pragma(`user_version = ${version}`);
  }
  raw.prepare("insert into user values (?, ?, 'owner', null, 0)").run('ann', 'ann');
  raw.close();
  const { db, store } = restoredOver(backup, folderWith(['ann'], { ann: 'new' }));
  expect(store.get('ann')).toMatchObject({ hash: 'new' });
  db.close();
});

it('a folder without a sound database, or of an earlier release, holds none', () => {
  const dir = tempDir('restored-pins-');
  expect(heldPins(join(dir, 'none.db'))).toBeNull();
  const strange = new Database(join(dir, 'strange.db'));
  strange.exec('create table user(user_id text)');
  strange.close();
  expect(heldPins(join(dir, 'strange.db'))).toBeNull();
});
