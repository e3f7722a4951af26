import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/contract/account.ts';
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts';
import { fastAsking } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { rawRequest } from '../support/raw-http.ts';
import { call } from '../support/tiny-bot.ts';

/**
 * Every operation that changes something leaves a record with who did it, by what, with which program and how it ended,
 * also one that fails. Which operations those are is derived from the operation table: a new one is expected to leave a
 * record until it is named here with the reason why it changes nothing. Calls of assistants are in
 * test/integration/mcp/keys.long.test.ts.
 */
const CHANGES_NOTHING: Readonly<Record<string, string>> = {
  'bots.query': 'asks a bot; handlers must not change anything, and state is read-only for them',
  'custom_bots.validate': 'judges two texts',
  'custom_bots.inspect': 'judges a package, and keeps nothing of it',
  'projects.search': 'finds a text in files',
  'projects.check': 'judges files',
  'alarms.seen': 'which alarms its user has looked at, which the bell of the page counts',
  'alarms.shown': 'which notification the desktop app has shown; the delivery of the alarm says it',
  'preferences.set': 'how its user likes to see things: theme, columns; of no use to anybody else, and set all day',
};
/** Recorded only if it logs a program in: programs poll every few seconds. */
const POLLING = 'auth.device_poll';
const CHANGING = (Object.entries(OPERATIONS) as [string, Operation][]).filter(
  ([name, { method }]) => method !== 'GET' && !Object.hasOwn(CHANGES_NOTHING, name) && name !== POLLING,
);

const host = new TestHost();
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
});
afterAll(() => host.stop());

const CLIENT = 'audit-test/1.0';
const BODIES: Readonly<Record<string, object>> = {
  'auth.login': { name: 'nobody', password: 'x' },
  'auth.enter': { ticket: 'x' },
  'auth.device_start': { client: 'audited' },
  'auth.device_approve': { user_code: 'XXXX-XXXX' },
};
const trail = async (): Promise<AuditEntry[]> =>
  (await call<{ items: AuditEntry[] }>(host, 'GET', '/api/v1/audit?limit=1000')).items;

it('every changing operation leaves a record with its actor, its client and its outcome', async () => {
  expect(CHANGING.length).toBeGreaterThan(35);
  for (const name of Object.keys(CHANGES_NOTHING)) expect(Object.keys(OPERATIONS)).toContain(name);
  const missing: string[] = [];
  const me = await call<{ user: { user_id: string } }>(host, 'GET', '/api/v1/auth');
  const codes = new Map<string, string>();
  for (const [name, { method, path, kind, access }] of CHANGING) {
    // The host must not stop here, and this log-in must last: a caller without the right tries both.
    if (name === 'host.stop') continue;
    const answer = await rawRequest(`${host.url}${path.replaceAll(/\{\w+\}/g, 'none')}`, {
      method,
      headers: {
        authorization: `Bearer ${host.token}`,
        'user-agent': `${CLIENT} ${name}`,
        'content-type': kind === 'upload' ? 'application/gzip' : 'application/json',
      },
      ...(method === 'DELETE' ? {} : { body: JSON.stringify(BODIES[name] ?? {}) }),
    });
    const outcome = answer.status < 300 ? 'ok' : answer.json().error.code;
    codes.set(`${CLIENT} ${name}`, outcome);
    if (access !== 'open') continue;
    // A refused log-in is in no user's trail; the host's owner has the database.
    codes.delete(`${CLIENT} ${name}`);
  }
  const entries = await trail();
  for (const [client, outcome] of codes) {
    const name = client.slice(CLIENT.length + 1);
    const entry = entries.find((one) => one.client === client);
    const expected = { operation: name, outcome, user_id: me.user.user_id, method: 'local' };
    if (entry === undefined) missing.push(name);
    else expect(entry).toMatchObject(expected);
  }
  expect(missing).toEqual([]);
  await prove('audit', 'operations that change something', {
    operations: CHANGING.length,
    'without a record': missing.length,
  });
});

it('what was only read leaves no record, also where only the owner may read it', async () => {
  const reads = (Object.entries(OPERATIONS) as [string, Operation][]).filter(
    ([, { method, kind }]) => method === 'GET' && kind === 'call',
  );
  for (const [name, { path }] of reads) {
    await rawRequest(`${host.url}${path.replaceAll(/\{\w+\}/g, 'none')}`, {
      headers: { authorization: `Bearer ${host.token}`, 'user-agent': `${CLIENT} reads ${name}` },
    });
  }
  expect(reads.map(([name]) => name)).toContain('users.list');
  expect((await trail()).filter(({ client }) => client?.startsWith(`${CLIENT} reads`))).toEqual([]);
});

it('log-ins, log-outs and what a program elsewhere was given are on record', async () => {
  const user = await call<{ user_id: string }>(host, 'POST', '/api/v1/users', {
    name: 'audited',
    password: 'a long enough password',
  });
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    rawRequest(`${host.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': CLIENT, ...headers },
      body: JSON.stringify(body),
    });
  const { token } = (await post('/api/v1/auth/login', { name: 'audited', password: 'a long enough password' })).json();
  const as = { authorization: `Bearer ${token}` };
  const code = (await post('/api/v1/auth/device', { client: 'a program elsewhere' })).json();
  expect((await post('/api/v1/auth/device/approve', { user_code: code.user_code }, as)).status).toBe(200);
  const { key } = (await post('/api/v1/auth/device/poll', { device_code: code.device_code })).json();
  expect((await post('/api/v1/auth/logout', {}, as)).status).toBe(200);
  const answer = await rawRequest(`${host.url}/api/v1/audit`, { headers: { 'x-api-key': key } });
  const items: AuditEntry[] = answer.json().items;
  expect(items.map(({ operation, outcome, user_id, client }) => [operation, outcome, user_id, client])).toEqual(
    ['auth.logout', 'auth.device_poll', 'auth.device_approve', 'auth.login'].map((name) => [
      name,
      'ok',
      user.user_id,
      CLIENT,
    ]),
  );
  expect(items[1]?.key_id).toBe(key.slice(5, 17));
  expect(answer.text).not.toContain(key.slice(18));
});

it('a change over the socket of a page is on record as well', async () => {
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/socket`, {
    headers: { authorization: `Bearer ${host.token}`, 'user-agent': `${CLIENT} page` },
  });
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ id: 1, call: 'keys.create', input: { name: 'by a page' } }));
  await new Promise((resolve) => socket.once('message', resolve));
  socket.close();
  expect((await trail()).find(({ client }) => client === `${CLIENT} page`)).toMatchObject({
    operation: 'keys.create',
    target: 'by a page',
    outcome: 'ok',
    method: 'local',
  });
});
