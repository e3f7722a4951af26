import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { browserCookieName, sessionCookieName } from '../../src/shared/cookie-names.ts';
import { createSseParser, type SseEvent } from '../../src/shared/sse.ts';
import { TestHost } from '../support/platform.ts';
import { everyVariant } from '../support/proof.ts';
import { rawRequest } from '../support/raw-http.ts';
import { tempDir } from '../support/temp.ts';
import { botUntil, call, deployTiny, lineUntil } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const host = new TestHost();
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

const auth = () => ({ authorization: `Bearer ${host.token}` });
const json = { 'content-type': 'application/json' };

describe('bytes of any kind', () => {
  /** Sends raw bytes and gives all that comes back. */
  const exchange = async (text: string): Promise<string> => {
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1', () => socket.write(text));
    let heard = '';
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    await once(socket, 'close');
    return heard;
  };

  it('outlives peers that ask for an upgrade and reset the connection', async () => {
    const { port, host: name } = new URL(host.url);
    const requests = ['evil.example', name].map(
      (to) =>
        `GET /api/v1/socket HTTP/1.1\r\nHost: ${to}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    for (let round = 0; round < 60; round++) {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      const closed = once(socket, 'close');
      socket.write(requests[round % 2] ?? '', () => socket.resetAndDestroy());
      await closed;
    }
    expect((await rawRequest(`${host.url}/healthz`)).status).toBe(200);
  });

  it('answers a request that offers another protocol as if it did not', async () => {
    const { host: name } = new URL(host.url);
    const offer = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
    const answer = await exchange(`GET /healthz HTTP/1.1\r\nHost: ${name}\r\n${offer}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('{"status":"ok"}');
  });

  it.each([
    ['\x16\x03\x01 a TLS greeting\r\n\r\n', 400, 'INVALID_REQUEST'],
    [`GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'TOO_LARGE'],
  ])('answers what is no request with the one error body', async (text, status, code) => {
    const [head = '', body = ''] = (await exchange(text)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head.toLowerCase()).toContain('x-request-id: req_');
    expect(JSON.parse(body).error).toMatchObject({ code, request_id: expect.stringMatching(/^req_/) });
  });
});

describe('who may ask', () => {
  it('asks for a key in the promised words, without the word Bearer', async () => {
    const answer = await rawRequest(`${host.url}/api/v1/bots`);
    expect(answer.status).toBe(401);
    expect(answer.json().error).toMatchObject({ code: 'AUTHENTICATION_REQUIRED', message: 'Authentication required' });
    expect(answer.headers['www-authenticate']).toBe('ApiKey');
    expect(answer.json().error.request_id).toBe(answer.headers['x-request-id']);
  });

  it.each([
    { 'x-api-key': 'plat_wrong' },
    { authorization: 'Bearer plat_aaaaaaaaaaaa_x' },
    { authorization: 'Basic eDp5' },
  ])('refuses %j in the promised words', async (headers) => {
    const answer = await rawRequest(`${host.url}/api/v1/bots`, { headers });
    expect(answer.status).toBe(401);
    expect(answer.json().error).toMatchObject({ code: 'INVALID_API_KEY', message: 'API key is invalid' });
  });

  it('takes a key in each of the three headers', async () => {
    const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'three headers' });
    for (const headers of [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: `ApiKey ${key}` },
    ]) {
      const answer = await rawRequest(`${host.url}/api/v1/auth`, { headers });
      expect(answer.json()).toMatchObject({ valid: true, method: 'api_key', key: { name: 'three headers' } });
    }
  });

  it('stops taking a key that was revoked', async () => {
    const { key, key_id } = await call<{ key: string; key_id: string }>(host, 'POST', '/api/v1/keys', { name: 'gone' });
    await call(host, 'DELETE', `/api/v1/keys/${key_id}`);
    const answer = await rawRequest(`${host.url}/api/v1/auth`, { headers: { 'x-api-key': key } });
    expect(answer.json().error.message).toBe('API key is invalid');
  });

  it('lets a read-only key change nothing', async () => {
    const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'reader', scope: 'read' });
    const headers = { 'x-api-key': key, ...json };
    const writing = Object.values(OPERATIONS).filter((one) => one.access !== 'open' && one.access !== 'read');
    expect(writing.length).toBeGreaterThan(15);
    for (const { method, path, kind, session } of writing) {
      const answer = await rawRequest(`${host.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
        method,
        headers: kind === 'upload' ? { ...headers, 'content-type': 'application/gzip' } : headers,
      });
      const code = session === 'optional' ? 'FORBIDDEN' : 'SESSION_REQUIRED';
      expect([path, answer.status, answer.json().error.code]).toEqual([path, 403, code]);
    }
    expect((await rawRequest(`${host.url}/api/v1/bots`, { headers })).status).toBe(200);
  });

  it.each([{ host: 'evil.example' }, { origin: 'http://evil.example' }, { origin: 'null' }])(
    'refuses %j on every kind of address',
    async (headers) => {
      for (const path of ['/', '/healthz', '/api/v1/bots', '/feed/v8/finance/chart/SPY', '/api/v1/openapi.json']) {
        const answer = await rawRequest(`${host.url}${path}`, { headers: { ...auth(), ...headers } });
        expect([path, answer.status, answer.json().error.code]).toEqual([path, 403, 'FORBIDDEN']);
      }
    },
  );

  it('counts a session cookie only for its own pages', async () => {
    const name = `cookie-${randomUUID().slice(0, 8)}`;
    await call(host, 'POST', '/api/v1/users', { name, password: 'a long enough password' });
    const login = await rawRequest(`${host.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ name, password: 'a long enough password' }),
    });
    const [set = ''] = login.headers['set-cookie'] ?? [];
    expect(set).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const cookie = set.split(';')[0] ?? '';
    // A program gets the token; a page has the cookie, which its scripts cannot read.
    expect(login.json().token).toBe(cookie.split('=')[1]);
    const byPage = await rawRequest(`${host.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { ...json, origin: host.url, 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ name, password: 'a long enough password' }),
    });
    expect(byPage.status).toBe(200);
    const setByPage = byPage.headers['set-cookie'] ?? [];
    // The session, and what tells the host that this user has logged in with this browser before.
    expect(setByPage.map((one) => one.split('=')[0])).toEqual([
      sessionCookieName(new URL(host.url).host),
      browserCookieName(new URL(host.url).host),
    ]);
    expect(setByPage.every((one) => one.includes('; HttpOnly; SameSite=Strict'))).toBe(true);
    expect(Object.keys(byPage.json()).sort()).toEqual(['expires_at', 'user']);
    const status = (headers: Record<string, string>) =>
      rawRequest(`${host.url}/api/v1/auth`, { headers: { cookie, ...headers } }).then((answer) => answer.status);
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(401);
    expect(await status({})).toBe(401);
  });

  it('has no OAuth pages and no CORS', async () => {
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource', '/nope']) {
      const answer = await rawRequest(`${host.url}${path}`);
      expect([answer.status, answer.json().error.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
    }
    const preflight = await rawRequest(`${host.url}/api/v1/bots`, { method: 'OPTIONS' });
    expect(preflight.status).toBe(405);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('what is sent', () => {
  const post = (path: string, body: string, headers: Record<string, string> = json) =>
    rawRequest(`${host.url}${path}`, { method: 'POST', headers: { ...auth(), ...headers }, body });

  it.each([
    ['{', 'INVALID_REQUEST', 400],
    ['[]', 'INVALID_REQUEST', 400],
    ['"x"', 'INVALID_REQUEST', 400],
    [`{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 'INVALID_REQUEST', 400],
    [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'INVALID_REQUEST', 400],
    [`{"name":"${'x'.repeat(1024 * 1024)}"}`, 'TOO_LARGE', 413],
  ])('refuses the body %.20s', async (body, code, status) => {
    const answer = await post('/api/v1/bots', body);
    expect([answer.status, answer.json().error.code]).toEqual([status, code]);
  });

  it('takes JSON only when it is called JSON', async () => {
    const answer = await post('/api/v1/bots', '{}', { 'content-type': 'text/plain' });
    expect([answer.status, answer.json().error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('refuses unknown and repeated parameters, and a body that names another target', async () => {
    const unknown = await rawRequest(`${host.url}/api/v1/bots?colour=red`, { headers: auth() });
    expect(unknown.json().error.details[0].path).toBe('colour');
    const twice = await rawRequest(`${host.url}/api/v1/audit?limit=1&limit=2`, { headers: auth() });
    expect(twice.json().error.details[0].message).toBe('is given more than once');
    const other = await post('/bot/bot_1/query', '{"bot_id":"bot_2","path":"/x"}');
    expect(other.json().error.details[0].path).toBe('bot_id');
  });

  it('names the methods an address has', async () => {
    const answer = await rawRequest(`${host.url}/api/v1/bots`, { method: 'PUT', headers: auth() });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST']);
  });

  it('refuses a package that is none, and takes what is still being sent', async () => {
    const answer = await rawRequest(`${host.url}/api/v1/custom-bots`, {
      method: 'POST',
      headers: { ...auth(), 'content-type': 'application/gzip' },
      body: Buffer.alloc(5_000_000, 1),
    });
    expect([answer.status, answer.json().error.code]).toEqual([400, 'INVALID_PACKAGE']);
  });
});

it('serves the page, health, description and the offline feed without a key', async () => {
  const page = await rawRequest(`${host.url}/`);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  // Every answer about a bot carries the address of its page.
  expect((await rawRequest(`${host.url}/bots/bot_01k00000000000000000000000`)).text).toBe(page.text);
  // Nothing of an address stands in the page.
  expect((await rawRequest(`${host.url}/bots/%3Cscript%3E`)).text).toBe(page.text);
  expect((await rawRequest(`${host.url}/healthz`)).json()).toEqual({ status: 'ok' });
  expect((await rawRequest(`${host.url}/api/v1/openapi.json`)).json().openapi).toBe('3.1.0');
  const chart = (await rawRequest(`${host.url}/feed/v8/finance/chart/SPY`)).json().chart;
  expect(chart.result[0].indicators.quote[0].close.length).toBeGreaterThan(200);
});

describe('live updates', () => {
  const COUNTER = 'let n = 0; setInterval(() => console.log("line " + n++), 20);';

  /** Reads events of a stream until a check passes, then ends it. */
  async function read(path: string, enough: (events: SseEvent[]) => boolean, headers: Record<string, string> = {}) {
    const stop = new AbortController();
    const response = await fetch(`${host.url}${path}`, { headers: { ...auth(), ...headers }, signal: stop.signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events: SseEvent[] = [];
    const parser = createSseParser((event) => events.push(event));
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      parser.push(decoder.decode(chunk, { stream: true }));
      if (enough(events)) break;
    }
    stop.abort();
    return events;
  }

  it('streams lines, and goes on after the last event without a gap or a repeat', async () => {
    const bot = await deployTiny(host, { name: 'streams', bot: COUNTER });
    await lineUntil(host, bot.bot_id, 'line 3');
    const path = `/api/v1/bots/${bot.bot_id}/stream`;
    const lines = (events: SseEvent[]): { seq: number; message: string }[] =>
      events.flatMap((event) => JSON.parse(event.data).logs);
    const first = await read(`${path}?tail=2`, (events) => lines(events).length > 20);
    const lastId = first.at(-1)?.id ?? '';
    const second = await read(`${path}?tail=2`, (events) => lines(events).length > 20, { 'last-event-id': lastId });
    const numbers = lines([...first, ...second])
      .map((line) => /^line (\d+)$/.exec(line.message)?.[1])
      .filter((text) => text !== undefined)
      .map(Number);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  it('streams changes of state, ends when the bot is gone', async () => {
    const bot = await deployTiny(host, { name: 'leaves', bot: COUNTER });
    await lineUntil(host, bot.bot_id, 'line 3');
    const ended = read(`/api/v1/bots/${bot.bot_id}/stream`, () => false);
    const deleted = read('/api/v1/events?after=0', (events) => events.some((one) => one.data.includes('"deleted"')));
    await call(host, 'DELETE', `/api/v1/bots/${bot.bot_id}`);
    await ended;
    expect((await deleted).some((one) => JSON.parse(one.data).bot_id === bot.bot_id)).toBe(true);
  });

  it('says where it begins, so that a reader who is cut off before the first event misses nothing', async () => {
    const bot = await deployTiny(host, { name: 'resumes', bot: 'setInterval(() => {}, 60_000);' });
    await botUntil(host, bot.bot_id, 'running', (one) => one.status === 'running');
    const cut = new AbortController();
    const first = await host.fetch('/api/v1/events', { signal: cut.signal });
    const reader = first.body?.getReader();
    let text = '';
    while (!/^id: \d+$/m.test(text)) text += new TextDecoder().decode((await reader?.read())?.value);
    const id = /^id: (\d+)$/m.exec(text)?.[1] ?? '';
    cut.abort();
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
    await botUntil(host, bot.bot_id, 'stopped', (one) => one.status === 'stopped');
    const second = new AbortController();
    const answer = await host.fetch('/api/v1/events', { signal: second.signal, headers: { 'last-event-id': id } });
    const again = answer.body?.getReader();
    let seen = '';
    while (!seen.includes('"status":"stopped"')) seen += new TextDecoder().decode((await again?.read())?.value);
    expect(seen).toContain(bot.bot_id);
    second.abort();
  });

  it('ends the streams of a key at once when it is revoked', async () => {
    const { key, key_id } = await call<{ key: string; key_id: string }>(host, 'POST', '/api/v1/keys', {
      name: 'short',
    });
    const stream = await fetch(`${host.url}/api/v1/events`, { headers: { 'x-api-key': key } });
    const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/socket`, { headers: { 'x-api-key': key } });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    const before = performance.now();
    await call(host, 'DELETE', `/api/v1/keys/${key_id}`);
    for (const reader = stream.body?.getReader(); !((await reader?.read())?.done ?? true); );
    expect((await closed)[0]).toBe(4401);
    // Before the 15 s at which credentials are looked at anyway.
    expect(performance.now() - before).toBeLessThan(12_000);
  });

  it('ends the socket of a page at once when its user gets another role: it has other places then', async () => {
    const login = { name: 'promoted', password: 'a long pass phrase' };
    const { user_id } = await call<{ user_id: string }>(host, 'POST', '/api/v1/users', login);
    const { token } = await call<{ token: string }>(host, 'POST', '/api/v1/auth/login', login);
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/socket`, { headers });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await call(host, 'PATCH', `/api/v1/users/${user_id}`, { role: 'owner' });
    expect((await closed)[0]).toBe(4403);
    await call(host, 'DELETE', `/api/v1/users/${user_id}`);
  });

  it('ends at once what only an owner may read when they are one no longer, and tells them how that went', async () => {
    const login = { name: `demoted-${randomUUID().slice(0, 8)}`, password: 'a long pass phrase', role: 'owner' };
    const { user_id } = await call<{ user_id: string }>(host, 'POST', '/api/v1/users', login);
    const { token } = await call<{ token: string }>(host, 'POST', '/api/v1/auth/login', {
      name: login.name,
      password: login.password,
    });
    const headers = { authorization: `Bearer ${token}` };
    const body = JSON.stringify({ dir: tempDir() });
    const opened = await fetch(`${host.url}/api/v1/projects`, {
      method: 'POST',
      headers: { ...headers, ...json },
      body,
    });
    const { project_id }: { project_id: string } = JSON.parse(await opened.text());
    const stream = await fetch(`${host.url}/api/v1/projects/${project_id}/events`, { headers });
    expect(stream.status).toBe(200);
    const own = await fetch(`${host.url}/api/v1/events`, { headers });
    const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/socket`, { headers });
    await once(socket, 'open');
    const heard: unknown[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data))));
    const closed = once(socket, 'close');
    socket.send(JSON.stringify({ id: 1, call: 'users.update', input: { user_id, role: 'user' } }));
    // One that was only about to begin is cut off.
    const over = stream.text().then(
      () => 'over',
      (error: Error) => error.message,
    );
    expect(['over', 'terminated']).toContain(await over);
    expect((await closed)[0]).toBe(4403);
    expect(heard).toEqual([{ id: 1, result: expect.objectContaining({ user_id, role: 'user' }) }]);
    const goesOn = own.body?.getReader();
    expect((await goesOn?.read())?.done).toBe(false);
    await goesOn?.cancel();
    await call(host, 'DELETE', `/api/v1/users/${user_id}`);
  });

  it.runIf(everyVariant)('gives no further answers to a page that does not read them', async () => {
    const bot = await deployTiny(host, { name: 'large-state', bot: 'setInterval(() => {}, 60_000);' });
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
    await botUntil(host, bot.bot_id, 'stopped', (one) => one.status === 'stopped');
    await call(host, 'PUT', `/api/v1/bots/${bot.bot_id}/state/large`, { value: 'x'.repeat(8 * 1024 * 1024) });
    const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/socket`, { headers: auth() });
    await once(socket, 'open');
    const input = { bot_id: bot.bot_id, key: 'large' };
    socket.pause();
    for (let id = 0; id < 40; id++) socket.send(JSON.stringify({ id, call: 'state.get', input }));
    const memory = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, 'utf8'))?.[1]);
    const before = memory();
    for (let n = 0; n < 20; n++) await rawRequest(`${host.url}/healthz`);
    expect(memory() - before).toBeLessThan(250 * 1024);
    const answers = new Set<number>();
    socket.on('message', (data) => answers.add(JSON.parse(String(data)).id));
    socket.resume();
    await until('all answers, once they are read', () => answers.size === 40, 240_000);
    socket.close();
  });

  it('carries calls and streams over one socket, with the same guards', async () => {
    const bot = await deployTiny(host, { name: 'socket', bot: COUNTER });
    const url = `${host.url.replace('http', 'ws')}/api/v1/socket`;
    const refused = async (headers: Record<string, string>): Promise<number> => {
      const socket = new WebSocket(url, { headers });
      const [, response] = await once(socket, 'unexpected-response');
      return response.statusCode;
    };
    expect(await refused({})).toBe(401);
    expect(await refused({ ...auth(), origin: 'http://evil.example' })).toBe(403);

    const socket = new WebSocket(url, { headers: auth() });
    // biome-ignore lint/suspicious/noExplicitAny: messages of many shapes
    const messages: any[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    await once(socket, 'open');
    const send = (message: object) => socket.send(JSON.stringify(message));
    send({ id: 1, call: 'bots.get', input: { bot_id: bot.bot_id } });
    send({ id: 2, call: 'bots.get', input: { bot_id: 'bot_none' } });
    send({ id: 3, stream: 'logs.stream', input: { bot_id: bot.bot_id } });
    send({ id: 4, call: 'logs.stream', input: {} });
    send({ id: 7, call: 'auth.login', input: { name: 'owner', password: 'no matter which' } });
    const of = (id: number) => messages.filter((message) => message.id === id);
    await until('answers', () => [1, 2, 4, 7].every((id) => of(id).length === 1) && of(3).length > 2);
    expect(of(1)[0].result.name).toBe('socket');
    expect(of(2)[0].error).toMatchObject({ code: 'BOT_NOT_FOUND', message: 'Bot not found' });
    expect(of(4)[0].error.code).toBe('ROUTE_NOT_FOUND');
    expect(of(7)[0].error.code).toBe('ROUTE_NOT_FOUND');
    expect(of(3)[0]).toEqual({ id: 3, cursor: expect.stringMatching(/^\d+$/) });
    expect(of(3)[1].event.logs.length).toBeGreaterThan(0);
    send({ id: 3, cancel: true });
    send({ id: 5, call: 'host.get', input: {} });
    await until('the answer after the cancel', () => of(5).length === 1);
    const count = of(3).length;
    send({ id: 6, call: 'host.get', input: {} });
    await until('the last answer', () => of(6).length === 1);
    expect(of(3).length).toBe(count);
    socket.send('nonsense');
    const [code] = await once(socket, 'close');
    expect(code).toBe(4400);
  });
});

it('makes no key whose name nobody can see', async () => {
  for (const name of ['  ', 'a\u0007b']) {
    const answer = await host.fetch('/api/v1/keys', { method: 'POST', body: JSON.stringify({ name }) });
    expect([name, answer.status]).toEqual([name, 400]);
  }
});

it('records who changed what', async () => {
  const { key_id } = await call<{ key_id: string }>(host, 'POST', '/api/v1/keys', { name: 'audited' });
  await host.fetch('/api/v1/bots/bot_none', { method: 'DELETE' });
  const { items } = await call<{ items: { operation: string; target: string; outcome: string }[] }>(
    host,
    'GET',
    '/api/v1/audit',
  );
  expect(items).toContainEqual(expect.objectContaining({ operation: 'keys.create', target: 'audited', outcome: 'ok' }));
  expect(items).toContainEqual(
    expect.objectContaining({ operation: 'bots.delete', target: 'bot_none', outcome: 'BOT_NOT_FOUND' }),
  );
  expect(JSON.stringify(items)).not.toContain(host.token);
  expect(key_id).toBeTruthy();
});

describe('the port', () => {
  it('is an error when it was asked for and is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const result = await host.cliWith({}, 'serve', '--data', `${host.dataDir}/second`, '--port', port);
    other.close();
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain(`Port ${port} is taken`);
  });

  it('is not opened to other machines without encryption', async () => {
    const result = await host.cliWith({}, 'serve', '--data', `${host.dataDir}/third`, '--listen', '0.0.0.0');
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain('--insecure');
  });
});

it('refuses a second host on the same folder, and says who holds it', async () => {
  const result = await host.cliWith({}, 'serve', '--data', host.dataDir, '--port', '0');
  expect(result.code).not.toBe(0);
  expect(result.stderr).toContain(String(host.pid));
});
