import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { barriers } from '../../support/dashboard/barriers.ts';
import { testHost } from '../../support/platform.ts';
import { call } from '../../support/tiny-bot.ts';
import { rawZip } from '../../unit/packaging/raw-zip.ts';

const BOT = 'setInterval(() => {}, 60_000);\n';
const CONFIG = (version: string) =>
  `name: dropped\nversion: "${version}"\ntype: realtime\nruntime: nodejs22\nentrypoints:\n  bot: bot.mjs\nschema:\n  bot: bot-schema.json\npermits:\n  secrets: [KRAKEN_KEY]\n`;

const zipOf = (version: string, more: Readonly<Record<string, string>> = {}): Buffer => {
  const files = { 'bot-config.yaml': CONFIG(version), 'bot-schema.json': '{"type":"object"}', 'bot.mjs': BOT, ...more };
  return rawZip(Object.entries(files).map(([name, content]) => ({ name: `my bot/${name}`, content })));
};

/** Drops files onto the page, as a file manager does. */
async function drop(page: Page, ...files: readonly { readonly name: string; readonly bytes: Buffer }[]): Promise<void> {
  const list = JSON.stringify(files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') })));
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of ${list}) {
      const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    return transfer;
  })()`);
  await page.getByRole('region', { name: 'Custom bots', exact: true }).dispatchEvent('drop', { dataTransfer });
}

it('a package is dropped, looked at, published, and exported again', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const page = await openDashboard(host, onTestFinished, {
    path: '/custom-bots',
    // Packages that are refused, and a version that is not there yet.
    expected: [/400 \(Bad Request\)/, /409 \(Conflict\)/],
  });
  await page.getByText('Nothing is published yet').waitFor();

  await drop(page, { name: 'dropped.zip', bytes: zipOf('1.0.0') });
  const first = page.getByRole('region', { name: 'Publish dropped 1.0.0?' });
  await first.getByText('secret: KRAKEN_KEY').waitFor();
  await first.getByText('There is no version of dropped below it').waitFor();
  await first.getByRole('button', { name: 'Cancel' }).click();
  await first.waitFor({ state: 'detached' });
  expect(await call(host, 'GET', '/api/v1/custom-bots')).toEqual({ items: [] });

  await drop(page, { name: 'dropped.zip', bytes: zipOf('1.0.0') });
  await first.getByRole('button', { name: 'Publish dropped 1.0.0' }).press('Enter');
  await page.getByRole('status').getByText('is published.').waitFor();

  // What is different, and what was left out.
  await drop(page, { name: 'next.zip', bytes: zipOf('1.1.0', { 'lib.mjs': 'export {}', '.env': 'KEY=1' }) });
  const next = page.getByRole('region', { name: 'Publish dropped 1.1.0?' });
  await next.getByRole('heading', { name: 'Different from 1.0.0' }).waitFor();
  expect(await next.getByRole('list', { name: 'Files' }).getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^Changed\s+bot-config\.yaml/),
    expect.stringMatching(/^New\s+lib\.mjs/),
  ]);
  await next.getByText('.env:1').waitFor();
  expect(await barriers(page)).toEqual([]);
  await next.getByRole('button', { name: 'Publish dropped 1.1.0' }).click();
  await page.getByRole('status').getByText('is published.').waitFor();

  // Errors stand where the package was dropped.
  await drop(page, { name: 'other.zip', bytes: zipOf('1.1.0', { 'lib.mjs': 'other' }) });
  await page.getByRole('alert').getByText('VERSION_EXISTS').waitFor();
  await drop(page, ...['a.zip', 'b.zip'].map((name) => ({ name, bytes: zipOf('2.0.0') })));
  await page.getByRole('alert').getByText('2 files were dropped').waitFor();
  await drop(page, { name: 'again.zip', bytes: zipOf('1.0.0') });
  await page.getByRole('heading', { name: 'dropped 1.0.0 is published already' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('link', { name: 'dropped', exact: true }).click();
  await page.getByRole('link', { name: /^Versions/ }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export version 1.1.0' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('dropped-1.1.0.tar.gz');
  const bytes = readFileSync(await file.path());
  const answer = await host.fetch('/api/v1/custom-bots/dropped/package?version=1.1.0');
  expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
});
