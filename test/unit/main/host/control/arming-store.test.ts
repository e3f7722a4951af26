import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createArmingStore, voidArmings } from '../../../../../src/main/host/control/arming-store.ts';
import { folderOfRelease, openControl } from '../../../../support/folder-of-release.ts';

const ARMINGS = 32;
/** Before `epoch` had its name. */
const OLD = 20;

/** Changes the database as a release before armings left it. */
function before(release: number, sql: string): string {
  const file = folderOfRelease({ bots: ['runs', 'copied', 'restored', 'deleted'], before: release });
  const db = new Database(file);
  db.exec(sql);
  db.close();
  return file;
}

it('the upgrade remembers the bots of before with their epochs and generations, but none that waits in a copied or restored folder', () => {
  const file = before(
    ARMINGS,
    `update bot set epoch = 7, generation = 9;
     update bot set reason = '{"code":"COPIED"}' where bot_id = 'copied';
     update bot set reason = '{"code":"RESTORED"}' where bot_id = 'restored';
     update bot set reason = '{"code":"EXITED"}' where bot_id = 'runs';
     update bot set deleting = 1 where bot_id = 'deleted'`,
  );
  const store = createArmingStore(openControl(file));
  expect([...(store.existing() ?? [])]).toEqual([['runs', { epoch: 7, generation: 9 }]]);
  store.existingArmed();
  expect(store.existing()).toBeNull();
});

it('a new folder has none of before', () => {
  expect(createArmingStore(openControl(folderOfRelease({ bots: [], before: ARMINGS }))).existing()?.size).toBe(0);
});

it.each([OLD, ARMINGS, ARMINGS + 1])(
  'a restored backup of before schema %i has none armed, and the upgrade arms none',
  (schema) => {
    const file = before(schema, 'select 1');
    const backup = new Database(file);
    voidArmings(backup);
    backup.close();
    const store = createArmingStore(openControl(file));
    expect([store.existing(), store.all()]).toEqual([null, []]);
  },
);
