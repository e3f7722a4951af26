import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { fastAsking } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { rawExchange, rawRequest } from '../support/raw-http.ts';
import { call } from '../support/tiny-bot.ts';

/**
 * S7, and failure 6 of peers: a page of another site reaches nothing, whatever name it has pointed at this machine and
 * whatever it may send without being asked. Names one by one are in test/unit/main/host/http/check-origin.test.ts, the cookie in
 * test/integration/http.test.ts, what POST /mcp takes from pages of this machine in test/integration/mcp/guards.long.test.ts.
 */
const host = new TestHost();
let port = '';
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  port = new URL(host.url).port;
});
afterAll(() => host.stop());

const NAMES = (): readonly string[] => [
  'evil.example',
  `evil.example:${port}`,
  'localhost.evil',
  `localhost.evil.example:${port}`,
  '127.0.0.1.evil.example',
  '127.0.0.1.nip.io',
  'localhost.',
  'localhost.localdomain',
  'l\u043ecalhost',
  '\u24dbocalhost',
  'xn--lcalhost-zvf',
  '127\u30020\u30020\u30021',
  '%6cocalhost',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '0.0.0.0',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::1%25lo]',
  'user@127.0.0.1',
  '127.0.0.1/evil.example',
  '127.0.0.1#evil.example',
  '127.0.0.1,evil.example',
  '127.0.0.1 evil.example',
  `127.0.0.1:${port}:1`,
];
const ORIGINS = (): readonly string[] => [
  'http://evil.example',
  `http://localhost.evil:${port}`,
  'null',
  'file://',
  `https://127.0.0.1:${port}`,
  'http://127.0.0.1:1',
  `http://127.0.0.1:${port}@evil.example`,
  `http://127.0.0.1:${port}.evil.example`,
  'chrome-extension://abcdef',
];

const head = (method: string, path: string, lines: readonly string[]): string =>
  `${method} ${path} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}Connection: close\r\n\r\n`;
const auth = (): string => `Authorization: Bearer ${host.token}`;
const PLACES = ['/', '/healthz', '/api/v1/host', '/mcp', '/api/v1/socket', '/feed/v8/finance/chart/SPY'];

it('answers to no name but its own, on any address, with the best of keys', async () => {
  let tried = 0;
  for (const name of NAMES()) {
    for (const path of PLACES) {
      const heard = await rawExchange(
        host.url,
        head(path === '/mcp' ? 'POST' : 'GET', path, [`Host: ${name}`, auth()]),
      );
      expect([name, path, heard.slice(0, 12)]).toEqual([name, path, 'HTTP/1.1 403']);
      expect(heard).not.toMatch(/data_dir|"chart"|<html|status":"ok/);
      tried += 1;
    }
  }
  await prove('S7', 'foreign names in Host', { tried, refused: tried }, 'S7-host');
});

it('opens no socket for a foreign name or a page of another site, whoever is logged in there', async () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const open = (lines: readonly string[]): Promise<string> =>
    rawExchange(
      host.url,
      `GET /api/v1/socket HTTP/1.1\r\n${[...lines, ...upgrade, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='].join('\r\n')}\r\n\r\n`,
    );
  const own = `Host: 127.0.0.1:${port}`;
  for (const name of NAMES())
    expect([name, (await open([`Host: ${name}`, auth()])).slice(0, 12)]).toEqual([name, 'HTTP/1.1 403']);
  for (const origin of ORIGINS())
    expect([origin, (await open([own, auth(), `Origin: ${origin}`])).slice(0, 12)]).toEqual([origin, 'HTTP/1.1 403']);
  expect(await open([own, own, auth()])).toMatch(/^HTTP\/1\.1 400 /);
  expect(await open([own])).toMatch(/^HTTP\/1\.1 401 /);
});

it('takes no request with two names, or with one in its first line', async () => {
  const own = `Host: 127.0.0.1:${port}`;
  for (const lines of [
    [own, 'Host: evil.example'],
    ['Host: evil.example', own],
    [own, own],
  ]) {
    expect(await rawExchange(host.url, head('GET', '/healthz', lines))).toMatch(/^HTTP\/1\.1 400 /);
  }
  for (const target of ['http://evil.example/api/v1/host', `${host.url}/api/v1/host`, '//evil.example/api/v1/host']) {
    expect(await rawExchange(host.url, head('GET', target, [own, auth()])), target).toMatch(/^HTTP\/1\.1 404 /);
  }
  expect(await rawExchange(host.url, head('CONNECT', 'evil.example:80', [own, auth()]))).toBe('');
});

it('does nothing for pages of other sites, and changes nothing', async () => {
  const keys = await call(host, 'GET', '/api/v1/keys');
  const changing = Object.values(OPERATIONS).filter(({ method }) => method !== 'GET');
  expect(changing.length).toBeGreaterThan(30);
  let tried = 0;
  for (const origin of ORIGINS()) {
    for (const { method, path } of changing) {
      const answer = await rawRequest(`${host.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
        method,
        headers: { origin, authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
        ...(method === 'DELETE' ? {} : { body: '{"name":"by a page"}' }),
      });
      expect([origin, path, answer.status]).toEqual([origin, path, 403]);
      tried += 1;
    }
  }
  expect(await call(host, 'GET', '/api/v1/keys')).toEqual(keys);
  await prove('S7', 'changes by pages of other sites', { tried, refused: tried }, 'S7-origin');
});

it('takes no form, image or link of another site for its owner, and lets no other site read an answer', async () => {
  const session = await call<{ url: string }>(host, 'POST', '/api/v1/auth/link', {});
  const ticket = session.url.split('#enter=')[1] ?? '';
  const login = await rawRequest(`${host.url}/api/v1/auth/enter`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket }),
  });
  const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
  // Requests that a browser sends without a preflight: a form, a picture, a link.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const form = await rawRequest(`${host.url}/api/v1/keys`, {
      method: 'POST',
      headers: { cookie, origin: host.url, 'sec-fetch-site': 'same-origin', 'content-type': type },
      body: '{"name":"by a form"}',
    });
    expect([type, form.status]).toEqual([type, 415]);
  }
  for (const site of ['cross-site', 'same-site', 'none']) {
    const answer = await rawRequest(`${host.url}/api/v1/bots`, { headers: { cookie, 'sec-fetch-site': site } });
    expect([site, answer.status]).toEqual([site, 401]);
  }
  // A page of another server on this machine may ask there, so that a cookie must not tell who it is for.
  const assistant = await rawRequest(`${host.url}/mcp`, {
    method: 'POST',
    headers: { cookie, origin: host.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  expect(assistant.status).toBe(401);
  const ask = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' };
  for (const path of ['/api/v1/keys', '/mcp', '/bot/x/query']) {
    const { headers } = await rawRequest(`${host.url}${path}`, {
      method: 'OPTIONS',
      headers: { ...ask, origin: host.url },
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});
