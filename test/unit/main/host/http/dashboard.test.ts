import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDashboard } from '../../../../../src/main/host/http/dashboard.ts';
import type { Logger } from '../../../../../src/node/logger.ts';
import { rawExchange, rawRequest } from '../../../../support/raw-http.ts';
import { tempDir } from '../../../../support/temp.ts';

const INDEX = '<!doctype html><title>the dashboard</title><script>one()</script>';
/** Of the script above, as `openssl dgst -sha256` says it. */
const HASH = 'HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4=';

/** A folder as a build leaves it, with a secret beside it. */
function built(): string {
  const root = tempDir('dashboard-');
  const dir = join(root, 'renderer');
  mkdirSync(join(dir, 'assets', 'deep'), { recursive: true });
  writeFileSync(join(root, 'secret.js'), 'secret');
  writeFileSync(join(dir, 'index.html'), INDEX);
  writeFileSync(join(dir, 'notes.txt'), 'not an asset');
  writeFileSync(join(dir, 'assets', 'main-1a2b.js'), 'export {};');
  writeFileSync(join(dir, 'assets', 'main-1a2b.css'), 'a{}');
  writeFileSync(join(dir, 'assets', 'inter-1a2b.woff2'), 'font');
  writeFileSync(join(dir, 'assets', 'deep', 'chunk.js'), 'deep');
  return dir;
}

/** Serves a dashboard alone; other requests get 404 and "not mine". */
async function served(dir: string, logged: string[] = []): Promise<string> {
  const handle = createDashboard(dir, { error: (message: string) => logged.push(message) } as unknown as Logger);
  const server = createServer((request, response) => {
    // As a client sent it: a path is not made shorter on the way.
    const pathname = (request.url ?? '').split('?')[0] ?? '';
    const url = { pathname } as URL;
    if (handle(request, response, url) === false) response.writeHead(404).end('not mine');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('places', () => {
  it.each([
    '/',
    '/bots/bot_1',
    '/bots/bot_1/logs',
    '/waiting',
    '/portfolio',
    '/custom-bots',
    '/deploy',
    '/connect',
    '/settings/users',
  ])('leads to the page from %s', async (path) => {
    const answer = await rawRequest(`${await served(built())}${path}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.text).toBe(INDEX);
  });

  it.each(['/bot/bot_1/query', '/botsies', '/api/v1/bots', '/healthz', '/index.html', '/settingsfoo', '/mcp'])(
    'leaves %s to others',
    async (path) => {
      expect((await rawRequest(`${await served(built())}${path}`)).text).toBe('not mine');
    },
  );

  it('has a page of its own about addresses that lead nowhere, for browsers alone', async () => {
    const base = await served(built());
    const asked = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
    const lost = await rawRequest(`${base}/nonsense`, asked);
    expect([lost.status, lost.text]).toEqual([404, INDEX]);
    expect(lost.headers['content-security-policy']).toContain("default-src 'none'");
    for (const path of ['/api/v1/nonsense', '/bot/bot_1/nonsense', '/mcp', '/assets/gone.js', '/.well-known/x']) {
      expect((await rawRequest(`${base}${path}`, asked)).text).toBe('not mine');
    }
    expect((await rawRequest(`${base}/nonsense`, { headers: { accept: '*/*' } })).text).toBe('not mine');
  });

  it('lets a page load nothing but from its host, run no inline script but its own and stand in no frame', async () => {
    const { headers } = await rawRequest(await served(built()));
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src 'self' 'sha256-${HASH}'`,
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "form-action 'none'",
      ]),
    );
    expect(policy.join(' ')).not.toMatch(/unsafe|https?:|\*/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([
    ['127.0.0.1:4747', '127.0.0.1:4747/view'],
    ['localhost:4747', 'localhost:4747/view'],
    ['bots.example', 'bots.example/view'],
    // A policy cannot name these.
    ['[::1]:4747', "'self'"],
    ['my_machine:4747', "'self'"],
    ["x; script-src 'unsafe-inline'", "'self'"],
  ])('lets its frames show the cage of views alone, for the host %s', async (host, source) => {
    const { headers } = await rawRequest(await served(built()), { headers: { host } });
    expect(
      String(headers['content-security-policy'])
        .split('; ')
        .filter((one) => one.startsWith('frame-src')),
    ).toEqual([`frame-src ${source}`]);
  });

  it('let the script of the page run also where it was checked out with the line ends of Windows', async () => {
    const dir = built();
    // Browsers hash the parsed text, in which a line ends with one character.
    const hash = createHash('sha256').update('one();\ntwo()').digest('base64');
    writeFileSync(join(dir, 'index.html'), '<!doctype html>\r\n<script>one();\r\ntwo()</script>');
    const { headers } = await rawRequest(await served(dir));
    expect(headers['content-security-policy']).toContain(`'sha256-${hash}'`);
  });

  it('says so when it is not built', async () => {
    const answer = await rawRequest(await served(join(tempDir(), 'none')));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('npm run build');
  });

  it('says the same when it cannot be read, which keeps no host from starting', async () => {
    const logged: string[] = [];
    const answer = await rawRequest(await served(join(built(), 'index.html'), logged));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('npm run build');
    expect(logged).toEqual(['the dashboard cannot be read']);
  });
});

describe('assets', () => {
  it.each([
    ['/assets/main-1a2b.js', 'text/javascript; charset=utf-8'],
    ['/assets/main-1a2b.css', 'text/css; charset=utf-8'],
    ['/assets/inter-1a2b.woff2', 'font/woff2'],
    ['/assets/deep/chunk.js', 'text/javascript; charset=utf-8'],
  ])('are kept for good by a browser: %s', async (path, type) => {
    const answer = await rawRequest(`${await served(built())}${path}`);
    expect(answer.headers['content-type']).toBe(type);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it('are all of the disk that is served, and only as the build left it', async () => {
    const dir = built();
    const base = await served(dir);
    writeFileSync(join(dir, 'assets', 'later.js'), 'put there later');
    for (const path of [
      '/assets/later.js',
      '/assets/',
      '/assets',
      '/assets/deep',
      '/notes.txt',
      '/assets/../notes.txt',
      '/assets/../../secret.js',
      '/assets/..%2f..%2fsecret.js',
      '/assets/%2e%2e/%2e%2e/secret.js',
      '/assets/..\\..\\secret.js',
      '//etc/passwd',
      '/assets//etc/passwd',
      '/assets/main-1a2b.js%00.css',
    ]) {
      const host = new URL(base).host;
      const answer = await rawExchange(base, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect([path, answer.split('\r\n\r\n')[1]]).toEqual([path, expect.stringContaining('not mine')]);
    }
  });

  it.skipIf(process.platform === 'win32')('are no links to files elsewhere', async () => {
    const dir = built();
    symlinkSync('/etc/passwd', join(dir, 'assets', 'link.js'));
    expect((await rawRequest(`${await served(dir)}/assets/link.js`)).text).toBe('not mine');
  });
});

describe('methods', () => {
  it('HEAD says the same without the body', async () => {
    const base = await served(built());
    for (const path of ['/', '/assets/main-1a2b.js']) {
      const [get, head] = [await rawRequest(`${base}${path}`), await rawRequest(`${base}${path}`, { method: 'HEAD' })];
      expect(head.status).toBe(200);
      expect(head.text).toBe('');
      expect(head.headers['content-length']).toBe(String(get.text.length));
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is nothing for it', async (method) => {
    expect((await rawRequest(`${await served(built())}/`, { method })).text).toBe('not mine');
  });
});
