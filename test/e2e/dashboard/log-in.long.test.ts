import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Preferences } from '../../../src/contract/preferences.ts';
import { openDashboard } from '../../support/browser.ts';
import { TestHost, testHost } from '../../support/platform.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { call } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const host = new TestHost();
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

const JSON_BODY = { 'content-type': 'application/json' };

/** A log-in link that another user of the host has made for themselves. */
async function linkOf(name: string): Promise<string> {
  const login = { name, password: 'a long pass phrase' };
  await call(host, 'POST', '/api/v1/users', login);
  const session = await rawRequest(`${host.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify(login),
  });
  const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
  const link = await rawRequest(`${host.url}/api/v1/auth/link`, {
    method: 'POST',
    headers: { ...JSON_BODY, cookie, origin: host.url },
    body: '{}',
  });
  return link.json().url;
}

describe('a log-in link in a browser that is logged in', () => {
  it('makes nobody another user before they have said so', async ({ onTestFinished }) => {
    const page = await openDashboard(host, onTestFinished, { path: '/settings/account' });
    const link = new URL(await linkOf('mallory'));
    const title = page.getByRole('heading', { name: 'You are logged in as owner' });
    // In a tab that shows the dashboard already, only the part behind the # changes.
    await page.goto(`${host.url}/settings/account${link.hash}`);
    await title.waitFor();
    expect(page.url()).not.toContain('enter');
    await page.getByRole('button', { name: 'Stay owner' }).click();
    await page.getByRole('button', { name: 'Log out' }).first().waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).textContent()).toContain('owner');

    await page.goto('about:blank');
    await page.goto(link.href);
    await title.waitFor();
    await page.getByRole('button', { name: 'Log in with the link instead' }).click();
    await page.getByTitle('user', { exact: true }).getByText('mallory').waitFor();
  });
});

it('leaves a browser logged in to another host of this machine', async ({ onTestFinished }) => {
  const page = await openDashboard(host, onTestFinished);
  const other = await testHost(onTestFinished);
  const { url } = await call<{ url: string }>(other, 'POST', '/api/v1/auth/link', {});
  const places = page.getByRole('navigation', { name: 'Pages' });
  await page.goto(url);
  await places.waitFor();
  for (const { url: address } of [other, host]) {
    await page.goto(address);
    await places.waitFor();
  }
});

it('shows a person the same in every browser: what was chosen is kept by the host', async ({ onTestFinished }) => {
  const page = await openDashboard(host, onTestFinished, { path: '/settings/appearance', colorScheme: 'dark' });
  await page.getByRole('radio', { name: 'Light' }).check();
  await page.getByRole('radio', { name: 'UTC' }).check();
  await until('the host to know', async () => {
    const { theme, zone } = await call<Preferences>(host, 'GET', '/api/v1/preferences');
    return theme === 'light' && zone === 'UTC';
  });
  const other = await openDashboard(host, onTestFinished, { path: '/settings/appearance', colorScheme: 'dark' });
  await expect.poll(() => other.locator('html').getAttribute('data-theme')).toBe('light');
  expect(await other.getByRole('radio', { name: 'UTC' }).isChecked()).toBe(true);
});

it('changes the own password, by the old one, and ends other sessions', async ({ onTestFinished }) => {
  const link = new URL(await linkOf('ann'));
  const page = await openDashboard(host, onTestFinished, { path: '/settings/account' });
  await page.goto('about:blank');
  await page.goto(link.href);
  await page.getByRole('button', { name: 'Log in with the link instead' }).click();
  await page.getByTitle('user', { exact: true }).getByText('ann').waitFor();
  await page.goto(`${host.url}/settings/account`);
  await page.getByRole('button', { name: 'Change password…' }).click();
  const dialog = page.getByRole('dialog');
  const fill = (label: string, text: string) => dialog.getByLabel(label, { exact: true }).fill(text);
  await fill('Old password', 'not this one');
  await fill('New password', 'a longer pass phrase');
  await fill('New password again', 'a longer pass phrase');
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await dialog.getByText('The old password is wrong').waitFor();
  await fill('Old password', 'a long pass phrase');
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await dialog.waitFor({ state: 'detached' });
  // The page that asked goes on.
  await page.getByText('Your password is changed').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Change password…' }).waitFor();
});

it('loads itself anew once when a part of it is gone with an update of the host, then says so', async ({
  onTestFinished,
}) => {
  const page = await openDashboard(host, onTestFinished, { expected: [/404/, /dynamically imported/, /was updated/] });
  await page.route('**/assets/connect-*.js', (route) => route.fulfill({ status: 404 }));
  await page.evaluate('window.isOld = true');
  await page.getByRole('link', { name: 'Assistants' }).click();
  await page.getByText('PAGE_OUTDATED').waitFor();
  expect(await page.evaluate('window.isOld')).toBeUndefined();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
});

describe('leaving', () => {
  it('loads the page anew and ends the session', async ({ onTestFinished }) => {
    const page = await openDashboard(host, onTestFinished);
    await page.evaluate('window.isOld = true');
    await page.getByRole('button', { name: 'Log out' }).first().click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await page.evaluate('window.isOld')).toBeUndefined();
    await page.reload();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await page.getByText('Your log-in has ended').count()).toBe(0);
  });

  it('says so when it did not come about', async ({ onTestFinished }) => {
    const page = await openDashboard(host, onTestFinished, { expected: [/ERR_FAILED/] });
    await page.route('**/auth/logout', (route) => route.abort());
    await page.getByRole('button', { name: 'Log out' }).first().click();
    await page.getByText('You are still logged in').waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });

  it('leaves nothing on a page whose session was taken back', async ({ onTestFinished }) => {
    const page = await openDashboard(host, onTestFinished, { expected: [/WebSocket/] });
    await page.evaluate('window.isOld = true');
    const { items } = await call<{ items: { user_id: string; name: string }[] }>(host, 'GET', '/api/v1/users');
    const owner = items.find(({ name }) => name === 'owner')?.user_id;
    await call(host, 'PATCH', `/api/v1/users/${owner}`, { password: 'another long phrase' });
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await page.getByText('Your log-in has ended').waitFor();
    expect(await page.evaluate('window.isOld')).toBeUndefined();
  });
});

it('shows somebody at once what their role has for them now', async ({ onTestFinished }) => {
  const link = new URL(await linkOf('bea'));
  const page = await openDashboard(host, onTestFinished, { path: '/settings/account', expected: [/WebSocket/] });
  await page.goto('about:blank');
  await page.goto(link.href);
  await page.getByRole('button', { name: 'Log in with the link instead' }).click();
  await page.getByTitle('user', { exact: true }).getByText('bea').waitFor();
  await page.goto(`${host.url}/settings/users`);
  await page.getByText('Only an owner of this host has these settings').waitFor();
  const { items } = await call<{ items: { user_id: string; name: string }[] }>(host, 'GET', '/api/v1/users');
  const bea = items.find(({ name }) => name === 'bea')?.user_id;
  await call(host, 'PATCH', `/api/v1/users/${bea}`, { role: 'owner' });
  await page.getByRole('button', { name: 'Add user' }).waitFor();
  await call(host, 'PATCH', `/api/v1/users/${bea}`, { role: 'user' });
  await page.getByText('Only an owner of this host has these settings').waitFor();
});

it.for([
  { name: 'cid', change: { password: 'another long phrase' }, said: 'Your log-in has ended' },
  { name: 'dot', change: { role: 'owner' }, said: 'Your role has changed, or another user has logged in' },
])(
  'tells whoever stays for what they have typed why the page is over: $said',
  async ({ name, change, said }, { onTestFinished }) => {
    const link = new URL(await linkOf(name));
    const page = await openDashboard(host, onTestFinished, { path: '/settings/account', expected: [/WebSocket/] });
    await page.goto('about:blank');
    await page.goto(link.href);
    await page.getByRole('button', { name: 'Log in with the link instead' }).click();
    await page.getByTitle('user', { exact: true }).getByText(name).waitFor();
    // A form that is filled in, as any other that may be left.
    await page.evaluate("addEventListener('beforeunload', (event) => event.preventDefault())");
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('button', { name: 'Change password…' }).click();
    await page.getByRole('dialog').getByLabel('Old password').fill('something');
    page.on('dialog', (dialog) => void dialog.dismiss());
    const { items } = await call<{ items: { user_id: string; name: string }[] }>(host, 'GET', '/api/v1/users');
    const userId = items.find((user) => user.name === name)?.user_id;
    await call(host, 'PATCH', `/api/v1/users/${userId}`, change);
    await page.getByText(`${said}, so nothing here can be saved`).waitFor();
    expect(await page.getByLabel('Old password').inputValue()).toBe('something');
    expect(await page.getByText('The host does not answer').count()).toBe(0);
  },
);

it('shows what was done with the account, by what, with which program, and what was refused', async ({
  onTestFinished,
}) => {
  const page = await openDashboard(host, onTestFinished, { path: '/settings/keys' });
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('nightly');
  await page.getByRole('radio', { name: /^Read/ }).check();
  await page.getByRole('button', { name: 'Make key' }).click();
  await page.getByText('Copy it now').waitFor();
  const key = /plat_\S+/.exec(await page.getByRole('dialog').innerText())?.[0] ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  const headers = { ...JSON_BODY, 'x-api-key': key, 'user-agent': 'reporter/2' };
  expect((await rawRequest(`${host.url}/api/v1/keys`, { method: 'POST', headers, body: '{"name":"z"}' })).status).toBe(
    403,
  );
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('row', { name: /key nightly reporter\/2 tried to make key z SESSION_REQUIRED/ }).waitFor();
  const made = page.getByRole('row', { name: /owner Chrome\s\d+ made key nightly with scope read/ });
  await made.getByText('Done').waitFor();
  expect(await made.getByText('keys.create').count()).toBe(0);
  await page.getByRole('button', { name: 'Operations and ids' }).click();
  await made.getByText('keys.create nightly').waitFor();
});
