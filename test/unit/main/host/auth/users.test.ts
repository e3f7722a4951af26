import { describe, expect, it } from 'vitest';
import { User } from '../../../../../src/contract/account.ts';
import { cameFrom, codeOf, errorOf, HOST_TOKEN, openAuth, PASSWORD } from './open-auth.ts';

const HERE = cameFrom('192.0.2.1');
const ann = { name: 'ann', password: PASSWORD };

describe('users', () => {
  it('are made with a password and the role of a user', async () => {
    const { auth, owner } = openAuth();
    const made = await auth.createUser(ann);
    expect(User.parse(made)).toEqual(made);
    expect(made).toMatchObject({ name: 'ann', role: 'user', has_password: true });
    expect(auth.getUser(made.user_id)).toEqual(made);
    expect(new Set(auth.listUsers().map(({ user_id }) => user_id))).toEqual(new Set([owner, made.user_id]));
    expect((await auth.createUser({ ...ann, name: 'boss', role: 'owner' })).role).toBe('owner');
  });

  it('have names of their own, also when two are made at once', async () => {
    const { auth } = openAuth();
    const both = await Promise.allSettled([auth.createUser(ann), auth.createUser(ann)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'NAME_TAKEN' } });
    expect(await codeOf(() => auth.createUser(ann))).toBe('NAME_TAKEN');
    expect(await codeOf(() => auth.createUser({ ...ann, name: 'owner' }))).toBe('NAME_TAKEN');
  });

  it('that are not there say so', async () => {
    const { auth } = openAuth();
    expect(await codeOf(() => auth.getUser('user_x'))).toBe('USER_NOT_FOUND');
    expect(
      await codeOf(() => auth.updateUser({ user_id: 'user_x', password: PASSWORD }, auth.authenticate(HOST_TOKEN))),
    ).toBe('USER_NOT_FOUND');
    expect(await codeOf(() => auth.deleteUser('user_x'))).toBe('USER_NOT_FOUND');
  });

  it('log in with a new password only, and their sessions and keys end with the old one', async () => {
    const { auth } = openAuth();
    const { user_id } = await auth.createUser(ann);
    const bob = await auth.createUser({ ...ann, name: 'bob' });
    const { token } = await auth.login(ann, HERE);
    const { token: ofBob } = await auth.login({ ...ann, name: 'bob' }, HERE);
    const { key } = auth.createKey(user_id, { name: 'laptop' });
    const { key: keyOfBob } = auth.createKey(bob.user_id, { name: 'laptop' });
    await auth.updateUser({ user_id, password: 'another long one' }, auth.authenticate(HOST_TOKEN));
    expect(await codeOf(() => auth.authenticate(token))).toBe('INVALID_API_KEY');
    expect(auth.authenticate(ofBob).userId).toBe(bob.user_id);
    expect(await codeOf(() => auth.authenticate(key))).toBe('INVALID_API_KEY');
    expect(auth.authenticate(keyOfBob).userId).toBe(bob.user_id);
    expect(await codeOf(() => auth.login(ann, HERE))).toBe('INVALID_CREDENTIALS');
    expect((await auth.login({ name: 'ann', password: 'another long one' }, HERE)).user.user_id).toBe(user_id);
  });

  it('keep password and sessions when only the role changes, which counts at once', async () => {
    const { auth } = openAuth();
    const { user_id } = await auth.createUser(ann);
    const { token } = await auth.login(ann, HERE);
    expect(await auth.updateUser({ user_id, role: 'owner' }, auth.authenticate(HOST_TOKEN))).toMatchObject({
      role: 'owner',
      has_password: true,
    });
    expect(auth.authenticate(token).role).toBe('owner');
    await auth.updateUser({ user_id, role: 'user' }, auth.authenticate(HOST_TOKEN));
    expect(auth.authenticate(token).role).toBe('user');
  });

  it('may be the local owner, who logs in by name once there is a password', async () => {
    const { auth, owner } = openAuth();
    await auth.updateUser({ user_id: owner, password: PASSWORD }, auth.authenticate(HOST_TOKEN));
    expect((await auth.login({ name: 'owner', password: PASSWORD }, HERE)).user).toMatchObject({ role: 'owner' });
    expect(auth.authenticate(HOST_TOKEN).userId).toBe(owner);
  });
});

describe('the owner of the machine', () => {
  it('stays owner and stays there', async () => {
    const { auth, owner } = openAuth();
    await auth.createUser(ann);
    const demoted = await errorOf(() =>
      auth.updateUser({ user_id: owner, role: 'user' }, auth.authenticate(HOST_TOKEN)),
    );
    expect([demoted.code, demoted.details]).toMatchObject([
      'INVALID_REQUEST',
      [{ path: '', message: 'owner is the local owner of this host, and stays an owner' }],
    ]);
    const removed = await errorOf(() => auth.deleteUser(owner));
    expect([removed.code, removed.details]).toMatchObject([
      'INVALID_REQUEST',
      [{ path: '', message: 'owner is the local owner of this host, and cannot be removed' }],
    ]);
    expect(auth.getUser(owner).role).toBe('owner');
  });

  it('is one person for good: another owner stands beside them, and the host token is never theirs', async () => {
    const { auth, owner } = openAuth();
    const boss = await auth.createUser({ name: 'boss', password: PASSWORD, role: 'owner' });
    expect(await codeOf(() => auth.updateUser({ user_id: owner, role: 'user' }, auth.authenticate(HOST_TOKEN)))).toBe(
      'INVALID_REQUEST',
    );
    expect(await codeOf(() => auth.deleteUser(owner))).toBe('INVALID_REQUEST');
    expect(auth.authenticate(HOST_TOKEN).userId).toBe(owner);
    expect((await auth.updateUser({ user_id: boss.user_id, role: 'user' }, auth.authenticate(HOST_TOKEN))).role).toBe(
      'user',
    );
  });
});

describe('removing a user', () => {
  it('takes sessions and keys along', async () => {
    const { auth, count } = openAuth();
    const { user_id } = await auth.createUser(ann);
    const { token } = await auth.login(ann, HERE);
    auth.createKey(user_id, { name: 'laptop' });
    auth.deleteUser(user_id);
    expect(await codeOf(() => auth.authenticate(token))).toBe('INVALID_API_KEY');
    expect([count('session'), count('api_key'), count('user')]).toEqual([0, 0, 1]);
  });

  it('waits until their custom bots and bots are gone', async () => {
    const { auth, db } = openAuth();
    const { user_id } = await auth.createUser(ann);
    db.prepare("insert into custom_bot_version values (?, 'sma', '1.0.0', '{}', '{}', 'h', 0)").run(user_id);
    db.prepare(
      `insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at, updated_at)
       values ('bot_1', ?, 'mine', 'realtime', 'sma', '1.0.0', '{}', 0, '{}', 0, 'stopped', 0, 0)`,
    ).run(user_id);
    const refused = await errorOf(() => auth.deleteUser(user_id));
    expect([refused.code, refused.hint]).toEqual([
      'BOT_RUNNING',
      expect.stringContaining('`platform users password NAME`'),
    ]);
    db.exec('delete from bot');
    expect(await codeOf(() => auth.deleteUser(user_id))).toBe('BOT_RUNNING');
    db.exec('delete from custom_bot_version');
    auth.deleteUser(user_id);
    expect(await codeOf(() => auth.getUser(user_id))).toBe('USER_NOT_FOUND');
  });
});
