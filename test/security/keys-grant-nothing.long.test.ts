import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { OPERATIONS, type OperationName } from '../../src/contract/operations.ts';
import { TestHost } from '../support/platform.ts';
import { rawRequest } from '../support/raw-http.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';

/** Operations that change accounts or log a user in, recognised by their names alone, not by their rows. */
const CHANGES_ACCOUNTS = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => {
  const { access, method } = OPERATIONS[name];
  if (access === 'open' || name === 'auth.logout') return false;
  return name.startsWith('users.') || (/^(auth|keys|sessions)\./.test(name) && method !== 'GET');
});
/** It would end the host under the test. */
const ENDS_THE_HOST: ReadonlySet<OperationName> = new Set(['host.stop']);
const PASSWORD = 'a long enough password';

const host = new TestHost();
let owner = '';
let botId = '';

interface NewKey {
  readonly key: string;
  readonly key_id: string;
}
const makeKey = (input: object): Promise<NewKey> => call(host, 'POST', '/api/v1/keys', { name: 'taken', ...input });

beforeAll(async () => {
  await host.start();
  owner = (await call<{ user: { user_id: string } }>(host, 'GET', '/api/v1/auth')).user.user_id;
  botId = (await deployTiny(host, { name: 'attacked', bot: 'setInterval(() => {}, 60_000);\n' })).bot_id;
});
afterAll(() => host.stop());

/** A thief's request for more rights with a stolen key; other operations get an empty one. */
function attackOf(name: OperationName, ids: { readonly keyId: string; readonly code: string }): object {
  const attacks: Partial<Record<OperationName, object>> = {
    'auth.password': { new_password: PASSWORD },
    'auth.device_approve': { user_code: ids.code },
    'keys.create': { name: 'for later' },
    'keys.delete': { key_id: ids.keyId },
    'users.create': { name: 'mallory', password: PASSWORD, role: 'owner' },
    'users.update': { user_id: owner, password: PASSWORD },
    'users.delete': { user_id: owner },
    'bots.query': { path: '/status' },
  };
  return attacks[name] ?? {};
}

async function ask(key: string, name: OperationName, input: object) {
  const { method, path, kind } = OPERATIONS[name];
  const fields: Record<string, unknown> = { bot_id: botId, user_id: owner, ...input };
  const url = `${host.url}${path.replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(fields[field] ?? 'x')))}`;
  const type = kind === 'upload' ? 'application/gzip' : 'application/json';
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field);
  const body = Object.fromEntries(Object.entries(input).filter(([field]) => !inPath.includes(field)));
  const answer = await fetch(url, {
    method,
    headers: { 'x-api-key': key, 'content-type': type },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  if (kind === 'stream' && answer.ok) {
    await answer.body?.cancel();
    return { status: answer.status, code: null };
  }
  // biome-ignore lint/suspicious/noExplicitAny: the answers of all operations
  const json: any = await answer.json();
  return { status: answer.status, code: json?.error?.code ?? null };
}

/** A call over the socket of the dashboard, which a program with a key can open too. */
function askOverSocket(socket: WebSocket, id: number, name: OperationName, input: object) {
  return new Promise<string | null>((resolve) => {
    const heard = (data: unknown): void => {
      const message = JSON.parse(String(data));
      if (message.id !== id) return;
      socket.off('message', heard);
      resolve(message.error?.code ?? message.error?.error?.code ?? null);
    };
    socket.on('message', heard);
    socket.send(JSON.stringify({ id, call: name, input }));
  });
}

/** Every row that grants access, as stored on disk. */
function whatLetsIn(): unknown {
  const db = new Database(join(host.dataDir, 'control.db'), { readonly: true });
  try {
    return {
      users: db.prepare('select * from user order by user_id').all(),
      keys: db
        .prepare('select key_id, user_id, scope, bots, expires_at, revoked_at from api_key order by key_id')
        .all(),
      sessions: db.prepare('select * from session order by session_id').all(),
      codes: db.prepare('select user_code, user_id, approved_at from device_code order by user_code').all(),
    };
  } finally {
    db.close();
  }
}

async function socketOf(key: string): Promise<WebSocket> {
  const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/socket`, { headers: { 'x-api-key': key } });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return socket;
}

it('the rows of all operations that change accounts ask for a session', () => {
  expect(CHANGES_ACCOUNTS.length).toBeGreaterThanOrEqual(10);
  expect(CHANGES_ACCOUNTS.filter((name) => OPERATIONS[name].session === 'optional')).toEqual([]);
});

it('no key of any scope gets an operation that asks for a session, over HTTP and over a socket', async () => {
  const other = await makeKey({ name: 'somebody else' });
  const scopes = [{}, { scope: 'deploy' }, { scope: 'read' }, { bots: [botId] }, { extended: true }];
  const names = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => OPERATIONS[name].session !== 'optional');
  const got: unknown[] = [];
  for (const scope of scopes) {
    const { key } = await makeKey(scope);
    const socket = await socketOf(key);
    for (const [id, name] of names.entries()) {
      const input = attackOf(name, { keyId: other.key_id, code: 'BCDF-GHJK' });
      const { status, code } = await ask(key, name, input);
      if (status !== 403 || code !== 'SESSION_REQUIRED') got.push([scope, name, status, code]);
      if (OPERATIONS[name].kind !== 'call') continue;
      const overSocket = await askOverSocket(socket, id, name, input);
      if (overSocket !== 'SESSION_REQUIRED') got.push([scope, name, 'socket', overSocket]);
    }
    socket.terminate();
  }
  expect(got).toEqual([]);
});

describe('a key of one day that fell into other hands', () => {
  it('makes nothing that lets anybody in, whatever it is sent to, and nothing of it is left when it is revoked', async () => {
    const other = await makeKey({ name: 'somebody else' });
    const stolen = await makeKey({ expires_in_days: 1, extended: true });
    const device = await call<{ device_code: string; user_code: string }>(host, 'POST', '/api/v1/auth/device', {
      client: 'mine',
    });
    const before = whatLetsIn();
    const socket = await socketOf(stolen.key);
    const ids = { keyId: other.key_id, code: device.user_code };
    for (const [id, name] of (Object.keys(OPERATIONS) as OperationName[]).entries()) {
      if (OPERATIONS[name].access === 'open' || ENDS_THE_HOST.has(name)) continue;
      await ask(stolen.key, name, attackOf(name, ids));
      if (OPERATIONS[name].kind === 'call')
        await askOverSocket(socket, id, name, {
          ...(OPERATIONS[name].path.includes('{bot_id}') ? { bot_id: botId } : {}),
          ...attackOf(name, ids),
        });
    }
    expect(whatLetsIn()).toEqual(before);

    const stream = await fetch(`${host.url}/api/v1/events`, { headers: { 'x-api-key': stolen.key } });
    expect(stream.status).toBe(200);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await call(host, 'DELETE', `/api/v1/keys/${stolen.key_id}`);
    expect(await closed).toBe(4401);
    const reader = stream.body?.getReader();
    for (;;) if ((await reader?.read())?.done !== false) break;
    const left: unknown[] = [];
    for (const name of Object.keys(OPERATIONS) as OperationName[]) {
      if (OPERATIONS[name].access === 'open') continue;
      const { code } = await ask(stolen.key, name, attackOf(name, ids));
      if (code !== 'INVALID_API_KEY') left.push([name, code]);
    }
    expect(left).toEqual([]);
    for (const name of ['owner', 'mallory']) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ name, password: PASSWORD });
      expect((await rawRequest(`${host.url}/api/v1/auth/login`, { method: 'POST', headers, body })).status).toBe(401);
    }
    const { device_code } = device;
    expect(await call(host, 'POST', '/api/v1/auth/device/poll', { device_code })).toEqual({
      status: 'pending',
      key: null,
    });
  });

  it('can be ended by whoever holds it, and ends no other', async () => {
    const [mine, other] = [await makeKey({ scope: 'read' }), await makeKey({})];
    expect(await ask(mine.key, 'keys.delete', { key_id: other.key_id })).toMatchObject({ code: 'SESSION_REQUIRED' });
    expect(await ask(mine.key, 'keys.delete', { key_id: mine.key_id })).toEqual({ status: 200, code: null });
    expect(await ask(mine.key, 'auth.status', {})).toMatchObject({ code: 'INVALID_API_KEY' });
    expect(await ask(other.key, 'auth.status', {})).toMatchObject({ status: 200 });
  });
});
