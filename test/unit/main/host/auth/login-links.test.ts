import { describe, expect, it } from 'vitest';
import { LoginLinks } from '../../../../../src/main/host/auth/login-links.ts';
import { bytesOf, cameFrom, codeOf, errorOf, HOST_TOKEN, MINUTE, openAuth, PASSWORD, START } from './open-auth.ts';

const HERE = cameFrom('192.0.2.1');
const ORIGIN = 'http://127.0.0.1:4747';
const ticketOf = (url: string): string => new URLSearchParams(new URL(url).hash.slice(1)).get('enter') ?? '';

describe('log-in links', () => {
  it('log their maker in, with a session like any other', () => {
    const { auth, owner } = openAuth();
    const { url, expires_at } = auth.makeLink(owner, ORIGIN);
    expect(expires_at).toBe(new Date(START + 10 * MINUTE).toISOString());
    const { token, user } = auth.enter(ticketOf(url), HERE);
    expect(user).toMatchObject({ user_id: owner, name: 'owner' });
    expect(auth.authenticate(token)).toMatchObject({ userId: owner, method: 'session', scope: 'full', keyId: null });
  });

  it('carry their secret behind the #, which no browser sends, and nothing else', () => {
    const { auth, owner } = openAuth();
    const url = new URL(auth.makeLink(owner, ORIGIN).url);
    expect([url.origin, url.pathname, url.search]).toEqual([ORIGIN, '/', '']);
    expect(url.hash).toMatch(/^#enter=[\w-]{43}$/);
  });

  it('work once', async () => {
    const { auth, owner } = openAuth();
    const ticket = ticketOf(auth.makeLink(owner, ORIGIN).url);
    auth.enter(ticket, HERE);
    const error = await errorOf(() => auth.enter(ticket, HERE));
    expect(error.code).toBe('INVALID_CREDENTIALS');
    expect(error.hint).toContain('platform open');
  });

  it('work for 10 minutes', async () => {
    const { auth, owner, clock } = openAuth();
    const [early, late] = [auth.makeLink(owner, ORIGIN), auth.makeLink(owner, ORIGIN)];
    clock.now += 10 * MINUTE - 1;
    auth.enter(ticketOf(early.url), HERE);
    clock.now += 1;
    expect(await codeOf(() => auth.enter(ticketOf(late.url), HERE))).toBe('INVALID_CREDENTIALS');
  });

  it.each(['', 'x', 'a'.repeat(43), HOST_TOKEN])('are not guessed by %j', async (ticket) => {
    const { auth, owner } = openAuth();
    auth.makeLink(owner, ORIGIN);
    expect(await codeOf(() => auth.enter(ticket, HERE))).toBe('INVALID_CREDENTIALS');
  });

  it('let nobody in who was removed meanwhile', async () => {
    const { auth } = openAuth();
    const { user_id } = await auth.createUser({ name: 'ann', password: PASSWORD });
    const ticket = ticketOf(auth.makeLink(user_id, ORIGIN).url);
    auth.deleteUser(user_id);
    expect(await codeOf(() => auth.enter(ticket, HERE))).toBe('INVALID_CREDENTIALS');
  });

  it('never stand on the disk', () => {
    const { auth, owner, dir } = openAuth();
    const ticket = ticketOf(auth.makeLink(owner, ORIGIN).url);
    auth.enter(ticket, HERE);
    expect(bytesOf(dir)).not.toContain(ticket);
  });

  it('push out the oldest of the same user when twenty wait, and of nobody else', async () => {
    const links = new LoginLinks(() => START);
    const other = ticketOf(links.make('user_other', ORIGIN).url);
    const tickets = Array.from({ length: 21 }, () => ticketOf(links.make('user_one', ORIGIN).url));
    expect(await codeOf(() => links.use(tickets[0] ?? ''))).toBe('INVALID_CREDENTIALS');
    expect(links.use(tickets[1] ?? '')).toBe('user_one');
    expect(links.use(tickets[20] ?? '')).toBe('user_one');
    expect(links.use(other)).toBe('user_other');
  });

  it('end with the password that they were made under, and not with another change', async () => {
    const { auth, owner } = openAuth();
    const { user_id } = await auth.createUser({ name: 'ann', password: PASSWORD });
    const [early, late] = [auth.makeLink(user_id, ORIGIN), auth.makeLink(user_id, ORIGIN)];
    const other = ticketOf(auth.makeLink(owner, ORIGIN).url);
    await auth.updateUser({ user_id, role: 'owner' }, auth.authenticate(HOST_TOKEN));
    expect(auth.enter(ticketOf(early.url), HERE).user.user_id).toBe(user_id);
    await auth.updateUser({ user_id, password: 'another good password' }, auth.authenticate(HOST_TOKEN));
    expect(await codeOf(() => auth.enter(ticketOf(late.url), HERE))).toBe('INVALID_CREDENTIALS');
    expect(auth.enter(other, HERE).user.user_id).toBe(owner);
  });

  it('leave a session that outlives its host', () => {
    const { auth, owner, dir, db } = openAuth();
    const { token } = auth.enter(ticketOf(auth.makeLink(owner, ORIGIN).url), HERE);
    db.close();
    expect(openAuth(dir).auth.authenticate(token)).toMatchObject({ userId: owner, method: 'session' });
  });
});
