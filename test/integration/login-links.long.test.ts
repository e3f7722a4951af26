import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestHost, testHost } from '../support/platform.ts';
import { type RawAnswer, rawRequest } from '../support/raw-http.ts';
import { call } from '../support/tiny-bot.ts';

const host = new TestHost();
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

const JSON_BODY = { 'content-type': 'application/json' };

const makeLink = async (of: TestHost = host): Promise<string> =>
  (await call<{ url: string }>(of, 'POST', '/api/v1/auth/link', {})).url;
const ticketOf = (url: string): string => new URLSearchParams(new URL(url).hash.slice(1)).get('enter') ?? '';
const enter = (ticket: string, of: TestHost = host): Promise<RawAnswer> =>
  rawRequest(`${of.url}/api/v1/auth/enter`, { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ ticket }) });
/** The part of a cookie that a browser sends back. */
const cookieOf = (answer: RawAnswer): string => (answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
const whoIs = (cookie: string, of: TestHost = host): Promise<RawAnswer> =>
  rawRequest(`${of.url}/api/v1/auth`, { headers: { cookie, origin: of.url } });

it('a log-out ends what an earlier version has left in the browser, too, if it is of this host', async () => {
  const [own, old] = [
    cookieOf(await enter(ticketOf(await makeLink()))),
    cookieOf(await enter(ticketOf(await makeLink()))),
  ];
  const token = old.slice(old.indexOf('=') + 1);
  const logOut = async (cookie: string) => {
    const headers = { ...JSON_BODY, cookie, origin: host.url };
    const answer = await rawRequest(`${host.url}/api/v1/auth/logout`, { method: 'POST', headers, body: '{}' });
    return (answer.headers['set-cookie'] ?? []).map((text) => text.split(';')[0]);
  };
  expect(await logOut(`${own}; platform_session=${token}`)).toEqual([own.replace(/=.*/, '='), 'platform_session=']);
  expect((await whoIs(own)).status).toBe(401);
  expect((await whoIs(old)).status).toBe(401);
  const other = cookieOf(await enter(ticketOf(await makeLink())));
  expect(await logOut(`${other}; platform_session=sess_of_another_host`)).toEqual([other.replace(/=.*/, '=')]);
});

describe('log-in links', () => {
  it('log a browser in once, by a cookie that no script can read', async () => {
    const url = await makeLink();
    expect(url.startsWith(`${host.url}/#enter=`)).toBe(true);
    const answer = await enter(ticketOf(url));
    expect(answer.status).toBe(200);
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(
      /^platform_session_\d+=sess_[^;]+; Max-Age=25(92000|91999); Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect((await whoIs(cookieOf(answer))).json()).toMatchObject({ method: 'session', user: { name: 'owner' } });
    const again = await enter(ticketOf(url));
    expect([again.status, again.json().error.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(again.json().error.hint).toContain('platform open');
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  it('are refused with a wrong ticket, and with one that is no text', async () => {
    await makeLink();
    expect((await enter('wrong')).json().error.code).toBe('INVALID_CREDENTIALS');
    const answer = await rawRequest(`${host.url}/api/v1/auth/enter`, {
      method: 'POST',
      headers: JSON_BODY,
      body: '{}',
    });
    expect(answer.json().error.code).toBe('INVALID_REQUEST');
  });

  it('are not made with a key, whatever it may do, nor by nobody', async () => {
    const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'full', scope: 'full' });
    const ask = (headers: Record<string, string>): Promise<RawAnswer> =>
      rawRequest(`${host.url}/api/v1/auth/link`, { method: 'POST', headers: { ...JSON_BODY, ...headers }, body: '{}' });
    const refused = (await ask({ 'x-api-key': key })).json().error;
    expect(refused).toMatchObject({
      code: 'SESSION_REQUIRED',
      hint: expect.stringContaining('Log in to the dashboard'),
    });
    expect((await ask({})).status).toBe(401);
  });

  it('lead another browser in from one that is in', async () => {
    const cookie = cookieOf(await enter(ticketOf(await makeLink())));
    const answer = await rawRequest(`${host.url}/api/v1/auth/link`, {
      method: 'POST',
      headers: { ...JSON_BODY, cookie, origin: host.url },
      body: '{}',
    });
    expect((await enter(ticketOf(answer.json().url))).status).toBe(200);
  });

  it('are recorded when they are made, used and refused, without their secret', async () => {
    const ticket = ticketOf(await makeLink());
    await enter(ticket);
    await enter(ticket);
    const { items } = await call<{ items: { operation: string; outcome: string; user_id: string | null }[] }>(
      host,
      'GET',
      '/api/v1/audit',
    );
    expect(items).toContainEqual(expect.objectContaining({ operation: 'auth.link', outcome: 'ok' }));
    expect(items).toContainEqual(expect.objectContaining({ operation: 'auth.enter', outcome: 'ok' }));
    expect(JSON.stringify(items)).not.toContain(ticket);
  });

  it('leave a session that goes on when the host is started again', async ({ onTestFinished }) => {
    const own = await testHost(onTestFinished);
    const [used, unused] = [ticketOf(await makeLink(own)), ticketOf(await makeLink(own))];
    const cookie = cookieOf(await enter(used, own));
    await own.stop();
    await own.start();
    expect((await whoIs(cookie, own)).json()).toMatchObject({ valid: true, method: 'session' });
    // An unused link has gone with its host.
    expect((await enter(unused, own)).status).toBe(401);
  });
});

describe('the dashboard of a host', () => {
  it('is served at its places without a log-in, under a policy that lets nothing else in', async () => {
    for (const path of ['/', '/connect', '/settings/users', '/bots/bot_1/logs']) {
      const answer = await rawRequest(`${host.url}${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.text).toContain('<div id="root">');
      const policy = String(answer.headers['content-security-policy']);
      const scripts = [...answer.text.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = '']) => script);
      const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
      expect(policy.split('; ').slice(0, 2)).toEqual([
        "default-src 'none'",
        ["script-src 'self'", ...hashes].join(' '),
      ]);
      // One script of the page's own, and no handler in an attribute.
      expect(hashes).toHaveLength(1);
      expect(answer.text).not.toMatch(/<[^>]+\son\w+=/);
    }
    const page = (await rawRequest(host.url)).text;
    const assets = [...page.matchAll(/(?:src|href)="([^"]*\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
    expect(assets.length).toBeGreaterThan(1);
    for (const asset of assets) {
      const { headers } = await rawRequest(new URL(asset, host.url).href);
      expect(headers['cache-control']).toContain('immutable');
    }
    expect(page).not.toMatch(/<style|https?:/);
  });
});

describe('the way in from the command line', () => {
  it('platform open prints a link that logs in, where there is no browser', async () => {
    const { url } = await host.json('open');
    expect((await enter(ticketOf(url))).status).toBe(200);
    const people = await host.cli('open');
    expect(people.stdout).toContain(`${host.url}/#enter=`);
    expect(people.stderr).toContain('There is no browser here');
  });

  it('platform open prints the plain address for who has only a key', async () => {
    const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'cli' });
    const result = await host.cliWith({ env: { PLATFORM_API_KEY: key } }, 'open');
    expect([result.code, result.stdout.trim()]).toEqual([0, host.url]);
  });

  it('a host says how its page is opened, and puts no secret into a pipe', async () => {
    const { stdout } = await host.cli('start');
    expect(stdout).toMatch(new RegExp(`Page +${host.url}\n`));
    expect(stdout).toMatch(/opened logged in by: platform (--data \S+ )?open/);
    expect(stdout).not.toContain('#enter=');
  });
});
