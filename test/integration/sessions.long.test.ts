import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../src/contract/account.ts';
import { makeKey } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { type RawAnswer, rawRequest } from '../support/raw-http.ts';
import { call } from '../support/tiny-bot.ts';

const host = new TestHost();
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

const PASSWORD = 'a long enough password';
const JSON_BODY = { 'content-type': 'application/json' };

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  rawRequest(`${host.url}/api/v1${path}`, {
    method: 'POST',
    headers: { ...JSON_BODY, ...headers },
    body: JSON.stringify(body),
  });

async function logIn(name: string, program = 'a program/1'): Promise<string> {
  const answer = await post('/auth/login', { name, password: PASSWORD }, { 'user-agent': program });
  expect(answer.status, answer.text).toBe(200);
  return answer.json().token;
}

const statusOf = async (credential: string): Promise<number> =>
  (await rawRequest(`${host.url}/api/v1/auth`, { headers: { 'x-api-key': credential } })).status;

async function sessionsOf(session: string, query = ''): Promise<SessionInfo[]> {
  const answer = await rawRequest(`${host.url}/api/v1/sessions${query}`, { headers: { 'x-api-key': session } });
  expect(answer.status, answer.text).toBe(200);
  return answer.json().items;
}

const end = (session: string, id: string): Promise<RawAnswer> =>
  rawRequest(`${host.url}/api/v1/sessions/${id}`, { method: 'DELETE', headers: { 'x-api-key': session } });

let added = 0;
/** A new user, with a name that no other has: a test that is tried again adds another. */
async function add(): Promise<{ readonly user_id: string; readonly name: string }> {
  added += 1;
  return call(host, 'POST', '/api/v1/users', { name: `user-${added}`, password: PASSWORD });
}

describe('sessions', () => {
  it('are listed with where they are, and ended one by one', async () => {
    const { name } = await add();
    const [here, there] = [await logIn(name, 'here/1'), await logIn(name, 'there/1')];
    const listed = await sessionsOf(here);
    expect(listed.map(({ client, current }) => [client, current]).sort()).toEqual([
      ['here/1', true],
      ['there/1', false],
    ]);
    expect(listed.every(({ source }) => source !== null && source !== '')).toBe(true);
    expect(JSON.stringify(listed)).not.toContain(there.slice(-43));
    const other = listed.find(({ current }) => !current)?.session_id ?? '';
    expect((await end(here, other)).status).toBe(200);
    expect([await statusOf(here), await statusOf(there)]).toEqual([200, 401]);
    expect((await end(here, other)).json().error.code).toBe('SESSION_NOT_FOUND');
  });

  it('end all at once but the one that asks, and none of another user', async () => {
    const [mine, other] = [await add(), await add()];
    const here = await logIn(mine.name);
    const [there, elsewhere, theirs] = [await logIn(mine.name), await logIn(mine.name), await logIn(other.name)];
    const key = await makeKey(host, {}, here);
    const answer = await post('/sessions/end-others', {}, { 'x-api-key': here });
    expect([answer.status, answer.json()]).toEqual([200, { ended: 2 }]);
    expect([await statusOf(here), await statusOf(theirs), await statusOf(key)]).toEqual([200, 200, 200]);
    expect([await statusOf(there), await statusOf(elsewhere)]).toEqual([401, 401]);
    const refused = await post('/sessions/end-others', {}, { 'x-api-key': key });
    expect(refused.json().error.code).toBe('SESSION_REQUIRED');
  });

  it('of the owner of the machine are all others for its command line', async () => {
    const { user } = await call<{ user: { name: string } }>(host, 'GET', '/api/v1/auth');
    const link: string = (await call<{ url: string }>(host, 'POST', '/api/v1/auth/link')).url;
    const entered = await post('/auth/enter', { ticket: link.split('enter=')[1] });
    expect(entered.status, user.name).toBe(200);
    expect((await host.json('sessions', 'end-others')).ended).toBeGreaterThan(0);
    expect(await statusOf(entered.json().token)).toBe(401);
  });

  it('end with what their user has approved and nobody has collected, and with log-in links that wait', async () => {
    const { name } = await add();
    const [thief, mine] = [await logIn(name, 'thief/1'), await logIn(name)];
    const started = (await post('/auth/device', { client: 'of the thief' })).json();
    const as = { 'x-api-key': thief };
    expect((await post('/auth/device/approve', { user_code: started.user_code }, as)).status).toBe(200);
    const link: string = (await post('/auth/link', {}, as)).json().url;
    const id = (await sessionsOf(mine)).find(({ client }) => client === 'thief/1')?.session_id ?? '';
    expect((await end(mine, id)).status).toBe(200);
    expect((await post('/auth/device/poll', { device_code: started.device_code })).status).toBe(401);
    expect((await post('/auth/enter', { ticket: link.split('enter=')[1] })).status).toBe(401);
  });

  it('of somebody else are neither listed nor ended but by an owner', async () => {
    const [target, curious] = [await add(), await add()];
    const [ofTarget, ofCurious] = [await logIn(target.name), await logIn(curious.name)];
    const [theirs] = await sessionsOf(ofTarget);
    const refused = await rawRequest(`${host.url}/api/v1/sessions?user_id=${target.user_id}`, {
      headers: { 'x-api-key': ofCurious },
    });
    expect(refused.json().error.code).toBe('USER_NOT_FOUND');
    expect((await end(ofCurious, theirs?.session_id ?? '')).json().error.code).toBe('SESSION_NOT_FOUND');
    expect(await statusOf(ofTarget)).toBe(200);
    const listed = await host.json('sessions', 'list', '--user', target.name);
    expect(listed.items).toHaveLength(1);
    await host.json('sessions', 'end', listed.items[0].session_id);
    expect(await statusOf(ofTarget)).toBe(401);
  });
});

describe('a new password', () => {
  it('a password that an owner sets for somebody else ends their sessions, keys and approved codes', async () => {
    const { user_id, name } = await add();
    const session = await logIn(name);
    const key = await makeKey(host, {}, session);
    const started = (await post('/auth/device', { client: 'waits' })).json();
    await post('/auth/device/approve', { user_code: started.user_code }, { 'x-api-key': session });
    expect([await statusOf(session), await statusOf(key)]).toEqual([200, 200]);
    await call(host, 'PATCH', `/api/v1/users/${user_id}`, { password: 'another long password' });
    expect([await statusOf(session), await statusOf(key)]).toEqual([401, 401]);
    expect((await post('/auth/device/poll', { device_code: started.device_code })).status).toBe(401);
  });

  it('keeps the keys of a user who sets it', async () => {
    const me = await call<{ user: { user_id: string } }>(host, 'GET', '/api/v1/auth');
    const key = await makeKey(host);
    await call(host, 'PATCH', `/api/v1/users/${me.user.user_id}`, { password: 'another long password' });
    expect(await statusOf(key)).toBe(200);
    const session = (await post('/auth/login', { name: 'owner', password: 'another long password' })).json().token;
    const own = { old_password: 'another long password', new_password: 'a third long password' };
    expect((await post('/auth/password', own, { 'x-api-key': session })).status).toBe(200);
    expect([await statusOf(key), await statusOf(session)]).toEqual([200, 200]);
  });
});
