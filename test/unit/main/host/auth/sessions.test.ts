import { describe, expect, it } from 'vitest';
import { Session } from '../../../../../src/contract/account.ts';
import { bytesOf, cameFrom, codeOf, DAY, errorOf, HOST_TOKEN, openAuth, PASSWORD, SECOND, START } from './open-auth.ts';

const HERE = cameFrom('192.0.2.1');
const right = { name: 'ann', password: PASSWORD };
const wrong = { name: 'ann', password: 'something else' };

async function withAnn() {
  const opened = openAuth();
  const ann = await opened.auth.createUser(right);
  return { ...opened, ann };
}

describe('the own password', () => {
  const change = { old_password: PASSWORD, new_password: 'another long phrase' };

  it('is changed by whoever knows the old one; all other sessions end, the one that asks does not', async () => {
    const { auth, ann } = await withAnn();
    const [here, there] = [await auth.login(right, HERE), await auth.login(right, HERE)];
    const link = new URL(auth.makeLink(ann.user_id, 'http://h').url).hash.split('=')[1] ?? '';
    await auth.changePassword(auth.authenticate(here.token), change);
    expect(auth.authenticate(here.token).userId).toBe(ann.user_id);
    expect(await codeOf(() => auth.authenticate(there.token))).toBe('INVALID_API_KEY');
    expect(await codeOf(() => auth.enter(link, HERE))).toBe('INVALID_CREDENTIALS');
    expect(await codeOf(() => auth.login(right, HERE))).toBe('INVALID_CREDENTIALS');
    await auth.login({ ...right, password: change.new_password }, HERE);
  });

  it('stays what it is for a wrong old one, for none, and for the same again; guesses have to wait', async () => {
    const { auth } = await withAnn();
    const who = auth.authenticate((await auth.login(right, HERE)).token);
    const code = (over: object) => codeOf(() => auth.changePassword(who, { ...change, ...over }));
    expect(await code({ new_password: PASSWORD })).toBe('INVALID_REQUEST');
    expect(await code({ old_password: undefined })).toBe('INVALID_CREDENTIALS');
    for (let i = 0; i < 4; i++) expect(await code({ old_password: 'a guess' })).toBe('INVALID_CREDENTIALS');
    expect(await code({})).toBe('RATE_LIMITED');
    await auth.login(right, HERE);
  });

  it('is set for the first time by an owner who has none', async () => {
    const { auth } = openAuth();
    const owner = auth.authenticate(HOST_TOKEN);
    expect(await codeOf(() => auth.changePassword(owner, change))).toBe('INVALID_CREDENTIALS');
    await auth.changePassword(owner, { new_password: change.new_password });
    await auth.login({ name: 'owner', password: change.new_password }, HERE);
  });
});

describe('log-in', () => {
  it('gives a session of 30 days', async () => {
    const { auth, ann, clock } = await withAnn();
    const session = await auth.login(right, HERE);
    expect(Session.parse(session)).toEqual(session);
    expect(session.token).toMatch(/^sess_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
    expect(session.user).toEqual(ann);
    expect(session.expires_at).toBe(new Date(START + 30 * DAY).toISOString());
    expect(auth.authenticate(session.token)).toEqual({
      userId: ann.user_id,
      name: 'ann',
      role: 'user',
      scope: 'full',
      botIds: null,
      extended: true,
      method: 'session',
      keyId: null,
      keyName: null,
      sessionId: session.token.slice(5, 17),
      expiresAt: Date.parse(session.expires_at),
    });
    clock.now = START + 30 * DAY - 1;
    expect(auth.authenticate(session.token).userId).toBe(ann.user_id);
    clock.now = START + 30 * DAY;
    expect(await codeOf(() => auth.authenticate(session.token))).toBe('INVALID_API_KEY');
  });

  it('stores neither the password nor the secret', async () => {
    const { auth, dir } = await withAnn();
    const { token } = await auth.login(right, HERE);
    const bytes = bytesOf(dir);
    expect(bytes).toContain(token.slice(5, 17));
    expect(bytes).not.toContain(token.slice(-43));
    expect(bytes).not.toContain(PASSWORD);
  });

  it('refuses a wrong password, an unknown name and a user without a password with the same words', async () => {
    const { auth } = await withAnn();
    const tries = [wrong, { ...right, name: 'nobody' }, { ...right, name: 'owner' }, { ...right, password: '' }];
    const errors = await Promise.all(tries.map((input) => errorOf(() => auth.login(input, HERE))));
    expect(new Set(errors.map((error) => JSON.stringify(error.toBody())))).toHaveLength(1);
    expect(errors[0]?.code).toBe('INVALID_CREDENTIALS');
  });

  it('does the same work for a name that does not exist', async () => {
    const { auth } = await withAnn();
    // What the processor did for it, not how long it took: that depends on what else the machine does.
    const least = async (name: string): Promise<number> => {
      const works: number[] = [];
      for (const n of [1, 2, 3, 4]) {
        const before = process.cpuUsage();
        await codeOf(() => auth.login({ ...wrong, name }, cameFrom(`192.0.2.${n}`)));
        const { user, system } = process.cpuUsage(before);
        works.push(user + system);
      }
      return Math.min(...works);
    };
    // Without the work it would be a hundredth.
    expect(await least('nobody')).toBeGreaterThan((await least('ann')) / 4);
  });

  it('is refused when the password changes while it is being checked', async () => {
    const { auth, ann, store, count } = await withAnn();
    const login = codeOf(() => auth.login(right, HERE));
    store.updateUser(ann.user_id, null, 'user');
    expect(await login).toBe('INVALID_CREDENTIALS');
    expect(count('session')).toBe(0);
  });

  it('counts a browser in which the user has logged in before apart from where it is', async () => {
    const { auth, ann } = await withAnn();
    const bob = await auth.createUser({ ...right, name: 'bob' });
    const known = { ...HERE, known: auth.browserToken(ann.user_id) };
    const refusedAfter = async (name: string, from: typeof HERE): Promise<void> => {
      for (let n = 0; n < 5; n++) await codeOf(() => auth.login({ ...wrong, name }, from));
      expect(await codeOf(() => auth.login({ ...right, name }, from))).toBe('RATE_LIMITED');
    };
    await refusedAfter('ann', HERE);
    expect((await auth.login(right, known)).user).toEqual(ann);
    // Of another user it tells nothing, nor does one that was made up; guesses with it have to wait as well.
    await refusedAfter('bob', HERE);
    expect(await codeOf(() => auth.login({ ...right, name: 'bob' }, known))).toBe('RATE_LIMITED');
    const madeUp = { ...HERE, known: `${auth.browserToken(bob.user_id).split('.')[0]}.${'A'.repeat(43)}` };
    expect(await codeOf(() => auth.login({ ...right, name: 'bob' }, madeUp))).toBe('RATE_LIMITED');
    await refusedAfter('ann', known);
    const another = { ...HERE, known: auth.browserToken(ann.user_id) };
    expect((await auth.login(right, another)).user).toEqual(ann);
  });

  it('makes a session for each of several at once', async () => {
    const { auth, count } = await withAnn();
    const sessions = await Promise.all([1, 2, 3, 4, 5].map(() => auth.login(right, HERE)));
    expect(new Set(sessions.map(({ token }) => token))).toHaveLength(5);
    expect(count('session')).toBe(5);
  });
});

describe('log-out', () => {
  it('ends the session that asks and no other', async () => {
    const { auth } = await withAnn();
    const [one, two] = await Promise.all([auth.login(right, HERE), auth.login(right, HERE)]);
    auth.logout(auth.authenticate(one.token));
    expect(await codeOf(() => auth.authenticate(one.token))).toBe('INVALID_API_KEY');
    expect(auth.authenticate(two.token).method).toBe('session');
  });

  it('leaves a key valid', () => {
    const { auth, owner } = openAuth();
    const { key } = auth.createKey(owner, { name: 'laptop' });
    auth.logout(auth.authenticate(key));
    expect(auth.authenticate(key).userId).toBe(owner);
  });
});

describe('guessing', () => {
  it('has to wait after five failures, also with the right password then', async () => {
    const { auth, clock } = await withAnn();
    for (let n = 0; n < 5; n++) expect(await codeOf(() => auth.login(wrong, HERE))).toBe('INVALID_CREDENTIALS');
    const refused = await errorOf(() => auth.login(right, HERE));
    expect([refused.code, refused.retryAfter, refused.hint]).toEqual(['RATE_LIMITED', 2, 'Wait 2 s and try again.']);
    clock.now += 2 * SECOND;
    expect((await auth.login(right, HERE)).user.name).toBe('ann');
    // The success has cleared the failures: one more causes no wait.
    expect(await codeOf(() => auth.login(wrong, HERE))).toBe('INVALID_CREDENTIALS');
    expect((await auth.login(right, HERE)).user.name).toBe('ann');
  });

  it('slows down names that do not exist alike', async () => {
    const { auth } = openAuth();
    const input = { name: 'nobody', password: PASSWORD };
    for (let n = 0; n < 5; n++) expect(await codeOf(() => auth.login(input, HERE))).toBe('INVALID_CREDENTIALS');
    expect(await codeOf(() => auth.login(input, HERE))).toBe('RATE_LIMITED');
  });

  it('counts for one name from one address', async () => {
    const { auth } = await withAnn();
    for (let n = 0; n < 5; n++) await codeOf(() => auth.login(wrong, HERE));
    expect(await codeOf(() => auth.login(right, HERE))).toBe('RATE_LIMITED');
    expect((await auth.login(right, cameFrom('192.0.2.2'))).user.name).toBe('ann');
    expect(await codeOf(() => auth.login({ ...wrong, name: 'bob' }, HERE))).toBe('INVALID_CREDENTIALS');
  });

  it('all at once gets no more guesses than one by one', async () => {
    const { auth } = await withAnn();
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(() => auth.login(wrong, HERE))));
    expect(codes.filter((code) => code === 'INVALID_CREDENTIALS')).toHaveLength(5);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(15);
    expect(await codeOf(() => auth.login(right, HERE))).toBe('RATE_LIMITED');
  });
});
