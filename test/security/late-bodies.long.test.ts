import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type Operation, type OperationName } from '../../src/contract/operations.ts';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { rawRequest } from '../support/raw-http.ts';
import { call, deployTiny, packTiny } from '../support/tiny-bot.ts';

/**
 * A body may take minutes. Who sends it is asked again once it has arrived: a key that was revoked, a session that was
 * ended, a role that was taken away meanwhile does nothing any more. The requests are derived from the operation table.
 */
const WITH_BODY = (Object.entries(OPERATIONS) as [OperationName, Operation][]).filter(
  // The host is not stopped here.
  ([name, { method, access }]) => method !== 'GET' && method !== 'DELETE' && access !== 'open' && name !== 'host.stop',
);
const LATE = { name: 'late', bot: 'setInterval(() => {}, 60_000);\n' };
const PASSWORD = 'a long enough password';

const host = new TestHost();
let botId = '';
let archive: Buffer = Buffer.alloc(0);
beforeAll(async () => {
  await host.start();
  botId = (await deployTiny(host, { name: 'there', bot: LATE.bot })).bot_id;
  archive = await packTiny(LATE);
});
afterAll(() => host.stop());

/** What the sender of a request wanted, had it been let in. */
const BODIES: Partial<Record<OperationName, object>> = {
  'bots.deploy': { name: 'late', type: 'realtime/there', version: '1.0.0', config: {} },
  'bots.query': { path: '/status', params: {} },
  'keys.create': { name: 'late' },
  'users.create': { name: 'late', password: PASSWORD, role: 'owner' },
};

/** A request of which the host has read the head, and waits for the body. */
interface Begun {
  readonly name: OperationName;
  readonly socket: Socket;
  readonly body: Buffer;
}

async function begin(name: OperationName, authorization: string): Promise<Begun> {
  const { method, path, kind } = OPERATIONS[name];
  const { hostname, port, host: address } = new URL(host.url);
  const body = kind === 'upload' ? archive : Buffer.from(JSON.stringify(BODIES[name] ?? {}));
  const socket = connect(Number(port), hostname);
  const head = [
    `${method} ${path.replace('{bot_id}', botId).replaceAll(/\{\w+\}/g, 'none')} HTTP/1.1`,
    `Host: ${address}`,
    `Authorization: ${authorization}`,
    `Content-Type: application/${kind === 'upload' ? 'gzip' : 'json'}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
    // The host answers this once it has taken the request on.
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  expect([name, String(first).split('\r\n', 1)[0]]).toEqual([name, 'HTTP/1.1 100 Continue']);
  socket.write(body.subarray(0, 1));
  return { name, socket, body };
}

/** Sends the rest of the body. Gives the operation with the status and the code of its answer. */
async function finish({ name, socket, body }: Begun): Promise<string> {
  let heard = '';
  socket.on('data', (chunk) => {
    heard += String(chunk);
  });
  const closed = once(socket, 'close');
  socket.write(body.subarray(1));
  await closed;
  const status = /^HTTP\/1\.1 (\d+)/.exec(heard)?.[1];
  return `${name} ${status} ${/"code":"(\w+)"/.exec(heard)?.[1] ?? 'done'}`;
}

const beginAll = (authorization: string): Promise<Begun[]> =>
  Promise.all(WITH_BODY.map(([name]) => begin(name, authorization)));

async function everything(): Promise<unknown> {
  const names = async (path: string): Promise<string[]> => {
    const { items } = await call<{ items: { name: string }[] }>(host, 'GET', path);
    return items.map(({ name }) => name);
  };
  const paths = ['/api/v1/bots', '/api/v1/custom-bots', '/api/v1/keys', '/api/v1/users'];
  return Promise.all(paths.map(names));
}

async function logIn(name: string): Promise<{ readonly user_id: string; readonly authorization: string }> {
  const login = { name, password: PASSWORD };
  const { user_id } = await call<{ user_id: string }>(host, 'POST', '/api/v1/users', { ...login, role: 'owner' });
  const answer = await rawRequest(`${host.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  return { user_id, authorization: `Bearer ${answer.json().token}` };
}

describe('a request whose body comes late does nothing', () => {
  it('once its key is revoked', async () => {
    const made = await call<{ key: string; key_id: string }>(host, 'POST', '/api/v1/keys', { name: 'revoked' });
    const begun = await beginAll(`Bearer ${made.key}`);
    await call(host, 'DELETE', `/api/v1/keys/${made.key_id}`);
    const before = await everything();
    const answers = await Promise.all(begun.map(finish));
    expect(answers).toEqual(WITH_BODY.map(([name]) => `${name} 401 INVALID_API_KEY`));
    expect(await everything()).toEqual(before);
    await prove('late-bodies', 'Requests whose key is revoked before their body has arrived', {
      operations: answers.length,
      'done all the same': answers.filter((answer) => answer.endsWith('done')).length,
    });
  });

  it.each([
    ['is ended by its user', (_: string, mine: Record<string, string>) => ['POST', '/api/v1/auth/logout', {}, mine]],
    [
      'is ended by an owner who sets a password',
      (id: string) => ['PATCH', `/api/v1/users/${id}`, { password: `${PASSWORD} 2` }, {}],
    ],
  ] as const)('once its session %s', async (how, end) => {
    const { user_id, authorization } = await logIn(`session-${how.includes('owner') ? 'reset' : 'logout'}`);
    const begun = await beginAll(authorization);
    const [method, path, body, headers] = end(user_id, { authorization });
    const ended = await host.fetch(path as string, {
      method: method as string,
      headers: headers as Record<string, string>,
      body: JSON.stringify(body),
    });
    expect(ended.status).toBe(200);
    const before = await everything();
    expect(await Promise.all(begun.map(finish))).toEqual(WITH_BODY.map(([name]) => `${name} 401 INVALID_API_KEY`));
    expect(await everything()).toEqual(before);
  });

  it('that only an owner may send, once its sender is none any more', async () => {
    const { user_id, authorization } = await logIn('demoted');
    const owners = WITH_BODY.filter(([, { access }]) => access === 'owner');
    const begun = await Promise.all(owners.map(([name]) => begin(name, authorization)));
    await call(host, 'PATCH', `/api/v1/users/${user_id}`, { role: 'user' });
    const before = await everything();
    expect(await Promise.all(begun.map(finish))).toEqual(owners.map(([name]) => `${name} 403 FORBIDDEN`));
    expect(await everything()).toEqual(before);
  });
});
