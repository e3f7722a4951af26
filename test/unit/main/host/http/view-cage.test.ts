import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createViewCage } from '../../../../../src/main/host/http/view-cage.ts';
import { rawRequest } from '../../../../support/raw-http.ts';

async function served(): Promise<string> {
  const handle = createViewCage('close();\n');
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://host');
    if (!handle(request, response, url)) response.writeHead(404).end('not mine');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('gives its document no origin, no network, no frame, and one policy of texts', async () => {
  const { status, headers, text } = await rawRequest(`${await served()}/view`);
  expect(status).toBe(200);
  expect(String(headers['content-security-policy']).split('; ')).toEqual([
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ]);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'x-frame-options': 'SAMEORIGIN',
    'x-dns-prefetch-control': 'off',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  expect(headers['permissions-policy']).toContain('camera=(), ');
  // Its script reads from here what a view may not have.
  expect(text).toContain('<script data-elements="iframe|frame|');
  expect(text).toContain('>\nclose();\n</script>');
});

it('is at one address, for reading', async () => {
  const base = await served();
  for (const path of ['/view/', '/views', '/view/index.html', '/bots']) {
    expect((await rawRequest(`${base}${path}`)).text).toBe('not mine');
  }
  expect((await rawRequest(`${base}/view?bot=1`)).status).toBe(200);
  expect((await rawRequest(`${base}/view`, { method: 'POST' })).text).toBe('not mine');
  const head = await rawRequest(`${base}/view`, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
});
