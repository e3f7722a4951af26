import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuthStore, type UserRow } from '../../../../../src/main/host/control/auth-store.ts';
import { copyDatabase } from '../../../../../src/main/host/control/backup-source.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { heldAccess } from '../../../../../src/main/host/control/restored-access.ts';
import { settleRestored } from '../../../../../src/main/host/control/restored-control.ts';
import { Wishes } from '../../../../../src/main/host/control/wishes.ts';
import { tempDir } from '../../../../support/temp.ts';

const NOW = 1_000_000;

/** A data folder of a host that is opened for each change, and of which backups are restored. */
function folder() {
  const dir = tempDir();
  const file = join(dir, 'control.db');
  const wishFile = join(dir, 'wishes');
  const open = () => openControlDatabase(file, { backupDir: join(dir, 'backups'), now: () => NOW });
  const store = <T>(work: (store: ReturnType<typeof createAuthStore>, db: ReturnType<typeof open>) => T): T => {
    const db = open();
    const wishes = new Wishes(wishFile);
    try {
      return work(createAuthStore(db, wishes), db);
    } finally {
      db.close();
      wishes.close();
    }
  };
  let copies = 0;
  const backup = (): string => {
    const copy = join(dir, `copy-${copies++}`);
    store(() => copyDatabase(file, copy));
    return copy;
  };
  const restore = (from: string, madeAt = 1): void => {
    const access = heldAccess(file, wishFile);
    const stage = join(dir, 'stage.db');
    copyDatabase(from, stage);
    settleRestored(stage, {
      madeAt,
      now: NOW,
      startBots: false,
      held: null,
      holds: new Map(),
      guards: [],
      networks: new Map(),
      access,
      pins: null,
      place: null,
    });
    rmSync(wishFile, { force: true });
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    renameSync(stage, file);
  };
  return { file, wishFile, store, backup, restore };
}

const ANN: UserRow = { user_id: 'ann', name: 'ann', role: 'owner', password_hash: 'old', created_at: 1 };

const keyOf = (user_id: string, key_id: string) => ({
  key_id,
  user_id,
  name: key_id,
  secret_hash: Buffer.alloc(32),
  scope: 'read' as const,
  bots: null,
  extended: 0,
  created_at: 1,
  expires_at: null,
});

/** Who gets in: role and password of Ann, and which of her keys are valid. */
const seen = (at: ReturnType<typeof folder>): unknown =>
  at.store((store) => ({
    role: store.userById('ann')?.role,
    password: store.userById('ann')?.password_hash,
    valid: store.keysOf('ann').flatMap(({ key_id, revoked_at }) => (revoked_at === null ? [key_id] : [])),
  }));

/** A folder with a backup of before Ann came, and one of her as an owner with a key. */
function withAnn() {
  const at = folder();
  const empty = at.backup();
  at.store((store) => {
    store.addUser(ANN);
    store.addKey(keyOf('ann', 'leaked'));
  });
  return { ...at, empty, full: at.backup() };
}

const remove = ({ store }: ReturnType<typeof folder>): void =>
  store((to) => to.transaction(() => to.removeUser({ ...ANN, ...to.userById('ann') }, NOW)));

describe('what was taken back', () => {
  it('stays so over a restore of a backup that knows nothing of it', () => {
    const at = withAnn();
    at.store((store) => {
      store.revokeKey('leaked', NOW);
      store.updateUser('ann', 'new', 'user');
    });
    at.restore(at.empty);
    expect(seen(at)).toEqual({ role: undefined, password: undefined, valid: [] });
    at.restore(at.full);
    expect(seen(at)).toEqual({ role: 'user', password: 'new', valid: [] });
    at.restore(at.full);
    expect(seen(at)).toEqual({ role: 'user', password: 'new', valid: [] });
  });

  it('is a user for good, also once the audit trail has forgotten it', () => {
    const at = withAnn();
    remove(at);
    at.store((_, db) => void db.exec('delete from audit'));
    for (const backup of [at.full, at.empty, at.full]) at.restore(backup);
    expect(seen(at)).toEqual({ role: 'owner', password: null, valid: [] });
  });

  it('are the keys of a deleted user, also of one who was let in again', () => {
    const at = withAnn();
    const early = at.full;
    at.store((store) => store.addKey(keyOf('ann', 'later')));
    const late = at.backup();
    remove(at);
    at.restore(early);
    at.store((store) => {
      store.updateUser('ann', 'again', 'user');
      store.addKey(keyOf('ann', 'given'));
    });
    expect(seen(at)).toEqual({ role: 'user', password: 'again', valid: ['given'] });
    at.restore(late);
    expect(seen(at)).toEqual({ role: 'user', password: 'again', valid: [] });
  });

  it('is a key that a full disk kept out of a database that is damaged since', () => {
    const at = withAnn();
    const wishes = new Wishes(at.wishFile);
    onTestFinished(() => wishes.close());
    wishes.keep('leaked', { wish: 'revoke', at: NOW });
    expect(wishes.store('leaked')).toBe(true);
    writeFileSync(at.file, 'damaged');
    at.restore(at.full);
    expect(seen(at)).toEqual({ role: 'owner', password: 'old', valid: [] });
    // A second restore knows it by the first.
    at.restore(at.full);
    expect(seen(at)).toEqual({ role: 'owner', password: 'old', valid: [] });
  });

  it('is known by a backup as well, where the folder knows nothing of it', () => {
    const at = withAnn();
    at.store((store) => {
      store.revokeKey('leaked', NOW);
      store.updateUser('ann', 'new', 'user');
    });
    at.restore(at.empty);
    const since = at.backup();
    writeFileSync(at.file, 'damaged');
    at.restore(since);
    at.restore(at.full);
    expect(seen(at)).toEqual({ role: 'user', password: 'new', valid: [] });
  });

  it.each<[string, (at: ReturnType<typeof folder>) => void]>([
    ['deleted', remove],
    [
      'set apart by a new password of another',
      (at) => at.store((to) => to.transaction(() => to.revokeKeysOf('ann', NOW))),
    ],
  ])('is every key of a user who was %s, also one without a row here', (_, take) => {
    const at = withAnn();
    at.store((store) => store.addKey(keyOf('ann', 'later')));
    const late = at.backup();
    at.restore(at.full);
    take(at);
    at.restore(at.full);
    at.store((store) => store.updateUser('ann', 'again', 'user'));
    at.restore(late);
    expect(seen(at)).toEqual({ role: 'user', password: 'again', valid: [] });
  });

  it('is nothing of a user who was let in again, whichever backups come after', () => {
    const at = withAnn();
    remove(at);
    const gone = at.backup();
    at.restore(at.full);
    at.store((store) => {
      store.updateUser('ann', 'again', 'user');
      store.addKey({ ...keyOf('ann', 'given'), created_at: NOW + 1 });
    });
    const late = at.backup();
    at.restore(gone);
    at.restore(late);
    expect(seen(at)).toEqual({ role: 'user', password: 'again', valid: ['given'] });
  });

  it('is no password of a folder into which a later backup of another one is restored', () => {
    const at = withAnn();
    const early = at.full;
    at.store((store) => store.updateUser('ann', 'new', 'owner'));
    const late = at.backup();
    const standby = folder();
    standby.restore(early, 10);
    standby.restore(late, 20);
    expect(seen(standby)).toEqual({ role: 'owner', password: 'new', valid: ['leaked'] });
    // An earlier one gives nothing back.
    standby.restore(early, 10);
    expect(seen(standby)).toEqual({ role: 'owner', password: 'new', valid: ['leaked'] });
  });
});
