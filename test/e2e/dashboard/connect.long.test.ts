import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Preferences } from '../../../src/contract/preferences.ts';
import { openDashboard, sharedDashboard } from '../../support/browser.ts';
import { TestHost, testHost } from '../../support/platform.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { call, deployTiny } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const host = new TestHost();
beforeAll(async () => {
  host.home = join(host.dataDir, 'home');
  mkdirSync(join(host.home, '.lmstudio'), { recursive: true });
  await host.start();
  await deployTiny(host, { name: 'ticker', bot: 'setInterval(() => {}, 60_000);' });
});
afterAll(() => host.stop());
const dashboard = sharedDashboard(host);

const asks = (key: string, name: string, input: object = {}) =>
  rawRequest(`${host.url}/mcp`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  });
const keysOf = async (): Promise<{ name: string; scope: string; bots: string[] | null; revoked_at: string | null }[]> =>
  (await call<{ items: [] }>(host, 'GET', '/api/v1/keys')).items;
const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

describe('connect an assistant', () => {
  it('makes a key, shows what to put where, lists what it did as it happens, and takes it back', async ({
    onTestFinished,
  }) => {
    const page = await dashboard(onTestFinished, { path: '/connect' });
    // Assistants found on this machine come first, with the one command that sets them up.
    await page.getByText('Found on this machine').waitFor();
    await page.getByRole('radio', { name: 'LM Studio' }).check();
    await page.getByText('LM Studio is on this machine').waitFor();
    await page.getByLabel('Cursor', { exact: true }).check();
    await page.getByRole('radio', { name: /^Read/ }).check();
    await page.getByLabel('Only some').check();
    const make = page.getByRole('button', { name: 'Make a key for Cursor' });
    expect(await make.isDisabled()).toBe(true);
    await page.getByLabel('ticker').check();
    expect(await page.getByRole('region', { name: 'Command' }).textContent()).toMatch(
      /^npx platform connect cursor --data \S+ --write --scope read --bots bot_\w+$/,
    );
    await page.clock.install();
    await make.click();
    await page.getByText('It is shown now and never again').waitFor();
    await page.getByRole('button', { name: 'Copy configuration' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const { mcpServers } = JSON.parse(await clipboard(page));
    const server = mcpServers['bot-platform'];
    expect(server.url).toBe(`${host.url}/mcp`);
    const key = server.headers['x-api-key'];
    expect(await keysOf()).toContainEqual(
      expect.objectContaining({ name: 'Cursor', scope: 'read', bots: [expect.stringMatching(/^bot_/)] }),
    );

    await page.getByText('Waiting for the first call of Cursor').waitFor();
    await page.clock.fastForward(60_000);
    await page.getByText('No call yet. Check that you restarted Cursor').waitFor();
    expect((await asks(key, 'bot_list')).status).toBe(200);
    await page.getByText('Connected: 11 tools', { exact: true }).waitFor();
    const did = page.getByRole('region', { name: 'What assistants did' });
    await did.getByRole('row', { name: /Cursor listed the bots Done/ }).waitFor();

    await page.getByRole('button', { name: 'Done' }).click();
    await make.waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole('button', { name: 'Revoke Cursor' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Cursor was revoked').waitFor();
    expect((await asks(key, 'bot_list')).status).toBe(401);
    await page.getByRole('button', { name: 'Revoke Cursor' }).waitFor({ state: 'detached' });
  });

  it('sets up an assistant of this machine: writes its file, says what changed, and sees it call', async ({
    onTestFinished,
  }) => {
    const file = join(host.home ?? '', '.lmstudio', 'mcp.json');
    const before = '{ "mcpServers": { "other": { "url": "http://127.0.0.1:1" } }, "theme": "dark" }';
    writeFileSync(file, before);
    const page = await dashboard(onTestFinished, { path: '/connect' });
    await page.getByRole('radio', { name: 'LM Studio' }).check();
    await page.getByRole('button', { name: 'Set it up for me' }).click();
    const changes = page.getByRole('list', { name: 'What changed' });
    await changes.getByText(`Added bot-platform in ${file}`).waitFor();
    const backup = (await changes.getByText('All else in it stays').locator('code').textContent()) ?? '';
    expect(readFileSync(backup, 'utf8')).toBe(before);
    const { mcpServers, theme } = JSON.parse(readFileSync(file, 'utf8'));
    expect([theme, mcpServers.other.url]).toEqual(['dark', 'http://127.0.0.1:1']);
    const server = mcpServers['bot-platform'];
    expect(await page.content()).not.toContain(server.headers['x-api-key']);

    await page.getByText('Waiting for the first call of LM Studio').waitFor();
    expect(server.url).toBe(`${host.url}/mcp`);
    expect((await asks(server.headers['x-api-key'], 'bot_list')).status).toBe(200);
    await page.getByText('Connected: 14 tools', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Done' }).click();
    writeFileSync(file, '{ "mcpServers": ');
    await page.getByRole('button', { name: 'Set it up for me' }).click();
    await page.getByText(/mcp\.json line 1: the JSON is invalid/).waitFor();
    expect(readFileSync(file, 'utf8')).toBe('{ "mcpServers": ');
  });

  it('gives a desktop program a command with the paths of this machine', async ({ onTestFinished }) => {
    const page = await dashboard(onTestFinished, { path: '/connect' });
    await page.getByLabel('Claude Desktop').check();
    await page.getByRole('button', { name: 'Make a key for Claude Desktop' }).click();
    await page.getByRole('button', { name: 'Copy configuration' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const { command, args } = JSON.parse(await clipboard(page)).mcpServers['bot-platform'];
    expect(command).toBe(process.execPath);
    expect(args.slice(1)).toEqual(['mcp', '--data', host.dataDir]);
    expect(existsSync(args[0])).toBe(true);
  });

  it('approves the code of a program elsewhere, from the address that it was told', async ({ onTestFinished }) => {
    const start = { method: 'POST', body: JSON.stringify({ client: 'laptop' }) };
    const { device_code, approve_url } = JSON.parse(await (await host.fetch('/api/v1/auth/device', start)).text());
    const { pathname, search } = new URL(approve_url);
    const page = await dashboard(onTestFinished, { path: `${pathname}${search}` });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved').waitFor();
    const polled = await call<{ status: string }>(host, 'POST', '/api/v1/auth/device/poll', { device_code });
    expect(polled.status).toBe('approved');
    await page.getByRole('textbox', { name: 'Code' }).fill('zzzz zzzz');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('INVALID_CREDENTIALS').waitFor();
  });
});

describe('settings', () => {
  it('adds a user who can log in, and removes them', async ({ onTestFinished }) => {
    const page = await dashboard(onTestFinished, { path: '/settings/users' });
    await page.getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a user' });
    await dialog.getByLabel('Name').fill('Ann');
    await dialog.getByLabel('Password').fill('a long pass phrase');
    await dialog.getByRole('button', { name: 'Add user' }).click();
    await page.getByText('ann was added').waitFor();
    const login = { name: 'ann', password: 'a long pass phrase' };
    expect((await call<{ user: { role: string } }>(host, 'POST', '/api/v1/auth/login', login)).user.role).toBe('user');
    await page.getByRole('button', { name: 'Actions for ann' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('ann was removed').waitFor();
    await page.getByRole('button', { name: 'Actions for ann' }).waitFor({ state: 'detached' });
  });

  it('shows engines with what they isolate, the host, and the theme at once', async ({ onTestFinished }) => {
    const page = await dashboard(onTestFinished, { path: '/settings' });
    const parts = page.getByRole('navigation', { name: 'Settings' });
    await parts.getByRole('link', { name: 'Engines' }).click();
    await page.getByRole('row', { name: /Files Not kept apart/ }).waitFor();
    await parts.getByRole('link', { name: 'Host' }).click();
    await page.getByText(host.dataDir, { exact: true }).waitFor();
    await parts.getByRole('link', { name: 'Appearance' }).click();
    await page.getByLabel('Light', { exact: true }).check();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    // What the page has not told yet would be lost with it.
    await until(
      'the host to know',
      async () => (await call<Preferences>(host, 'GET', '/api/v1/preferences')).theme === 'light',
    );
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  });

  it('stops the host, waits for it, and goes on when it is back', async ({ onTestFinished }) => {
    const own = await testHost(onTestFinished);
    const expected = [/WebSocket connection|ERR_CONNECTION_REFUSED/];
    const page = await openDashboard(own, onTestFinished, { path: '/settings/host', expected });
    await page.getByRole('button', { name: 'Stop host…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop host' }).click();
    await page.getByText('The host does not answer').waitFor();
    await page.getByRole('button', { name: 'Try now' }).click();
    await own.stop();
    await own.start();
    await page.getByText('The host is back').waitFor();
    await page.getByText('The host does not answer').waitFor({ state: 'detached' });
  });
});

describe('keys alone', () => {
  it('find a bot, stop it, take that back, and go from place to place', async ({ onTestFinished }) => {
    const page = await dashboard(onTestFinished);
    const { keyboard } = page;
    await page.getByRole('link', { name: 'ticker' }).waitFor();
    await keyboard.press('Control+k');
    await keyboard.type('stop tick');
    await page.getByRole('option', { name: 'Stop ticker', selected: true }).waitFor();
    await keyboard.press('Enter');
    await page.getByText('ticker stopped').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('ticker started').waitFor();
    await keyboard.press('g');
    await keyboard.press('a');
    await page.getByRole('heading', { name: 'Connect an assistant' }).waitFor();
    await keyboard.press('g');
    await keyboard.press('f');
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    await keyboard.press('/');
    await keyboard.type('g?');
    expect(await page.getByRole('searchbox').inputValue()).toBe('g?');
    await keyboard.press('Escape');
    await page.getByRole('searchbox').blur();
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

it('fits a narrow window without scrolling sideways', async ({ onTestFinished }) => {
  const viewport = { width: 380, height: 800 };
  const page = await openDashboard(host, onTestFinished, { path: '/connect', viewport });
  for (const path of ['/connect', '/settings/keys', '/settings/engines', '/settings/host']) {
    await page.goto(`${host.url}${path}`);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 380]);
  }
});
