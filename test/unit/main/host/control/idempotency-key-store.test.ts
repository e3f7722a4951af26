import { expect, it, onTestFinished } from 'vitest';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createIdempotencyKeyStore } from '../../../../../src/main/host/control/idempotency-key-store.ts';
import { tempDir } from '../../../../support/temp.ts';

it('keeps the keys of a user apart, until they are old or the user goes', () => {
  const dir = tempDir('deploy-keys-');
  const db = openControlDatabase(`${dir}/control.db`, { backupDir: dir, now: () => 0 });
  onTestFinished(() => void db.close());
  db.exec("insert into user values ('ada', 'ada', 'owner', null, 0), ('bob', 'bob', 'user', null, 0)");
  const keys = createIdempotencyKeyStore(db);
  keys.add('ada', 'k', { print: 'p', botId: 'bot_1' }, { now: 100, since: 0 });
  expect(keys.find('ada', 'k', 99)).toEqual({ print: 'p', botId: 'bot_1' });
  expect(keys.find('ada', 'k', 100)).toBeNull();
  expect(keys.find('bob', 'k', 0)).toBeNull();
  expect(() => keys.add('ada', 'k', { print: 'q', botId: 'bot_2' }, { now: 150, since: 50 })).toThrow(/UNIQUE/);
  keys.add('ada', 'k', { print: 'q', botId: 'bot_2' }, { now: 200, since: 100 });
  expect(keys.find('ada', 'k', 100)).toEqual({ print: 'q', botId: 'bot_2' });
  db.exec("delete from user where user_id = 'ada'");
  expect(keys.find('ada', 'k', 0)).toBeNull();
});
