import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCookieName } from '../../../src/shared/cookie-names.ts';
import { bare, fastAsking, JSON_HEADERS, makeKey, message, modern, post, STREAMS } from '../../support/mcp.ts';
import { TestHost } from '../../support/platform.ts';
import { rawExchange, rawRequest } from '../../support/raw-http.ts';
import { call } from '../../support/tiny-bot.ts';

/** POST /mcp refuses bodies, methods, Host, Origin and keys before it reads a message. */
const host = new TestHost();
let key = '';
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  key = await makeKey(host);
});
afterAll(() => host.stop());

const url = (): string => `${host.url}/mcp`;
const send = (body: string, headers: Record<string, string> = JSON_HEADERS) =>
  post(url(), body, { 'x-api-key': key, ...headers });
const ask = (body: unknown, headers: Record<string, string> = {}) => bare(host, key, body, headers);
const list = () => message('tools/list');

describe('a body', () => {
  it.each([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['something near JSON', { 'content-type': 'application/json-seq' }],
    ['nothing', {}],
  ])('that is declared as %s is refused with 415', async (_, headers) => {
    const answer = await send(JSON.stringify(list()), headers);
    expect(answer.status).toBe(415);
    expect(answer.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { message: expect.stringContaining('application/json') },
    });
  });

  const LARGE = 4 * 1024 * 1024;
  it('of 4 MiB is read', async () => {
    const body = JSON.stringify({ ...list(), params: { filler: '' } });
    const filled = body.replace('"filler":""', `"filler":"${'x'.repeat(LARGE - body.length)}"`);
    expect(Buffer.byteLength(filled)).toBe(LARGE);
    expect((await send(filled)).status).toBe(200);
  });

  it('that says it is over 4 MiB is refused with 413 while it is still being sent, and the connection ends', async () => {
    const { host: name } = new URL(host.url);
    const head = `POST /mcp HTTP/1.1\r\nHost: ${name}\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\n`;
    const heard = await rawExchange(host.url, `${head}Content-Length: ${LARGE + 1}\r\n\r\n{"jsonrpc":`);
    expect(heard).toMatch(/^HTTP\/1\.1 413 /);
    expect(heard.toLowerCase()).toContain('connection: close');
    expect(heard).toContain(`The request body is larger than ${LARGE} bytes`);
  });

  it('that turns out to be over 4 MiB is refused with 413', async () => {
    const answer = await send('x'.repeat(LARGE + 1), { ...JSON_HEADERS, 'transfer-encoding': 'chunked' });
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
  });
});

describe('other ways in', () => {
  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])(
    '%s is refused with 405 and what is allowed',
    async (method) => {
      const answer = await rawRequest(url(), { method, headers: { 'x-api-key': key, ...STREAMS } });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('POST');
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it.each(['evil.example', 'evil.example:4747', '127.0.0.1.evil.example'])(
    'Host %s is refused with 403',
    async (name) => {
      const answer = await ask(list(), { host: name });
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain('auth_status');
    },
  );

  it.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://127.0.0.1@evil.example',
    'file://',
  ])('Origin %s is refused with 403', async (origin) => {
    expect((await ask(list(), { origin })).status).toBe(403);
  });

  it('the own Origin is taken, by address and by name', async () => {
    expect((await ask(list(), { origin: host.url })).status).toBe(200);
    const { port } = new URL(host.url);
    const byName = { host: `localhost:${port}`, origin: `http://localhost:${port}` };
    expect((await ask(list(), byName)).status).toBe(200);
  });

  it('a page of another local server may ask, with a key: never with the cookie of the dashboard', async () => {
    const origin = 'http://localhost:5173';
    const answer = await ask(list(), { origin });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    const cookie = `${sessionCookieName(new URL(host.url).host)}=${host.token}`;
    const byCookie = await post(url(), JSON.stringify(list()), { ...JSON_HEADERS, origin, cookie });
    expect(byCookie.status).toBe(401);
    const own = await post(url(), JSON.stringify(list()), { ...JSON_HEADERS, origin: host.url, cookie });
    expect(own.status).toBe(401);
  });

  it.each(['/mcp/', '/mcp/other', '/mcp/extended/', '/sse', '/messages'])('%s is not there', async (path) => {
    const answer = await post(`${host.url}${path}`, JSON.stringify(list()), { 'x-api-key': key, ...JSON_HEADERS });
    expect(answer.status).toBe(404);
  });
});

describe('a key', () => {
  const refused = async (headers: Record<string, string>, text: string, one: ReturnType<typeof modern> | null) => {
    const body = one?.body ?? { jsonrpc: '2.0', id: 'mine', method: 'tools/list' };
    const answer = await post(url(), JSON.stringify(body), { ...JSON_HEADERS, ...one?.headers, ...headers });
    expect(answer.status).toBe(401);
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', id: body.id, error: { code: 401, message: text } });
    expect(answer.headers['www-authenticate']).toBe('ApiKey');
    expect(JSON.stringify(answer.headers)).not.toMatch(/bearer|resource_metadata/i);
  };

  it('that is missing: "Authentication required", to every kind of client', async () => {
    await refused({}, 'Authentication required', null);
    await refused({ 'x-api-key': '' }, 'Authentication required', null);
    await refused({}, 'Authentication required', modern('server/discover'));
  });

  it('that is wrong: "API key is invalid", to every kind of client', async () => {
    await refused({ 'x-api-key': 'plat_wrong' }, 'API key is invalid', null);
    await refused({ authorization: 'Bearer plat_wrong' }, 'API key is invalid', null);
    await refused({ 'x-api-key': 'plat_wrong' }, 'API key is invalid', modern('server/discover'));
  });

  it('that has expired: "API key is invalid"', async () => {
    const old = await makeKey(host, { name: 'old', expires_in_days: 1 });
    const db = new Database(join(host.dataDir, 'control.db'));
    const { changes } = db
      .prepare("update api_key set expires_at = ? where name = 'old' and expires_at > ?")
      .run(Date.now() - 1000, Date.now());
    db.close();
    expect(changes).toBe(1);
    await refused({ 'x-api-key': old }, 'API key is invalid', null);
  });

  it('that was revoked: "API key is invalid", from the next request on', async () => {
    const gone = await makeKey(host, { name: 'gone' });
    expect((await bare(host, gone, list())).status).toBe(200);
    const { items } = await call<{ items: { key_id: string; name: string }[] }>(host, 'GET', '/api/v1/keys');
    await call(host, 'DELETE', `/api/v1/keys/${items.find(({ name }) => name === 'gone')?.key_id ?? ''}`);
    await refused({ 'x-api-key': gone }, 'API key is invalid', null);
  });

  it('is asked for before any batch is looked at', async () => {
    const answer = await post(url(), JSON.stringify([list(), list()]), JSON_HEADERS);
    expect(answer.status).toBe(401);
    expect(answer.json().error.message).toBe('Authentication required');
  });

  it.each([
    'oauth-authorization-server',
    'oauth-protected-resource',
    'oauth-protected-resource/mcp',
    'oauth-authorization-server/mcp',
    'openid-configuration',
  ])('is never replaced by OAuth: /.well-known/%s is not there', async (name) => {
    const answer = await rawRequest(`${host.url}/.well-known/${name}`);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });

  it('is never replaced by OAuth: nothing to register at', async () => {
    expect((await post(`${host.url}/register`, '{}', JSON_HEADERS)).status).toBe(404);
  });
});
