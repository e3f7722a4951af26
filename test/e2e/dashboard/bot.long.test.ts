import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bot } from '../../../src/contract/bot.ts';
import { sharedDashboard } from '../../support/browser.ts';
import { barriers } from '../../support/dashboard/barriers.ts';
import { TestHost } from '../../support/platform.ts';
import { botUntil, call, deployTiny, getBot, publish, runsOf } from '../../support/tiny-bot.ts';

const STEADY = `
import { log, metric, state } from '@bot-platform/sdk';
state.set('book', { cash: 100, positions: Array.from({ length: 250 }, (_, id) => ({ id })) });
log('\\u001b[32mready\\u001b[0m to trade');
metric('price', { symbol: 'ETH', value: 1234.5 });
metric('signal', { type: 'BUY', symbol: 'ETH', price: 1234.5, reason: 'it rose' });
setInterval(() => undefined, 1000);
`;
const QUERY = `
import { query } from '@bot-platform/sdk';
query.handler('/echo', (request) => ({ text: request.get('text', 'nothing') }));
query.run();
`;
const BROKEN = `console.log('no key'); const config = {}; setTimeout(() => config.exchange.key, 50);`;

// One host for all tests of this file: each has bots of its own.
const host = new TestHost();
beforeAll(async () => void (await host.start()));
afterAll(() => host.stop());

const steady = (name: string, query = QUERY): Promise<Bot> =>
  deployTiny(host, { name, bot: STEADY, query }).then(({ bot_id }) =>
    botUntil(host, bot_id, 'it to run', (bot) => bot.status === 'running'),
  );

const dashboard = sharedDashboard(host);

describe('the page of a bot', () => {
  it('says first what is wrong, and goes back to the version that worked', async ({ onTestFinished }) => {
    const bot = await steady('grid-trader');
    await publish(host, { name: 'grid-trader', bot: BROKEN, version: '1.1.0' });
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { version: '1.1.0' });
    await botUntil(host, bot.bot_id, 'it to fail', (one) => one.status === 'backing_off');
    const page = await dashboard(onTestFinished, { path: `/bots/${bot.bot_id}` });
    const card = page.getByRole('region', { name: /TypeError/ });
    await card.getByText('NODE_EXCEPTION').waitFor();
    await card.getByText('Version 1.0.0 → 1.1.0').waitFor();
    await card.getByText(`npx platform bot update ${bot.bot_id} --version <version>`).waitFor();
    expect(await card.getByRole('link', { name: 'Open in the log' }).getAttribute('href')).toMatch(/\/logs\?run=run_/);
    await card.getByRole('button', { name: 'Copy for assistant' }).click();
    await card.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('NODE_EXCEPTION: ');
    await card.getByRole('button', { name: 'Roll back to 1.0.0' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Restart' }).waitFor();
    expect(await getBot(host, bot.bot_id)).toMatchObject({ version: '1.0.0', status: 'running' });
  });

  it('goes to another version, takes that back, and makes a duplicate that does not run', async ({
    onTestFinished,
  }) => {
    const bot = await steady('versions');
    const page = await dashboard(onTestFinished, { path: `/bots/${bot.bot_id}` });
    await page.getByRole('link', { name: 'versions 1.0.0' }).waitFor();
    expect(await page.getByRole('button', { name: /available|Other versions/ }).count()).toBe(0);
    await publish(host, { name: 'versions', bot: STEADY, query: QUERY, version: '1.1.0' });
    await page.reload();
    await page.getByRole('button', { name: '1.1.0 available' }).click();
    const window = page.getByRole('dialog');
    await window.getByText('Another version restarts the bot once.').waitFor();
    expect(await window.getByRole('link', { name: 'What differs' }).getAttribute('href')).toBe(
      '/custom-bots/versions/compare?from=1.0.0&to=1.1.0',
    );
    await window.getByRole('button', { name: 'Update to 1.1.0' }).click();
    await window.waitFor({ state: 'detached' });
    await botUntil(host, bot.bot_id, 'the update', (one) => one.version === '1.1.0' && one.status === 'running');
    await page.getByRole('button', { name: 'Other versions' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('versions is on version 1.0.0 again.').waitFor();
    await botUntil(host, bot.bot_id, 'the way back', (one) => one.version === '1.0.0' && one.status === 'running');

    await page.getByRole('button', { name: 'Actions for versions' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate…' }).click();
    await expect.poll(() => page.getByLabel('Name of the bot').inputValue()).toBe('versions copy');
    expect(await page.getByLabel('Start it at once').isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.waitForURL(/\/bots\/bot_/);
    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    expect(await getBot(host, id)).toMatchObject({
      name: 'versions copy',
      version: '1.0.0',
      enabled: false,
      run_id: null,
    });
  });

  it('shows what a bot does, uses, measures and says', async ({ onTestFinished }) => {
    const bot = await steady('steady');
    const page = await dashboard(onTestFinished, { path: `/bots/${bot.bot_id}`, colorScheme: 'light' });
    await page.getByText('BUY ETH at 1,234.5').waitFor();
    await page.getByText(/ MiB$/).first().waitFor();
    await page.getByRole('list', { name: 'Newest log lines' }).getByText('ready to trade').waitFor();
    await page.getByText('How far it is isolated').click();
    await page.getByText('A busy bot slows down all others.').waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  it('runs a scheduled bot now and tells what came of it', async ({ onTestFinished }) => {
    const source = `import { success } from '@bot-platform/sdk'; success('counted 3 coins');`;
    const bot = await deployTiny(host, { name: 'nightly', type: 'scheduled', bot: source });
    const page = await dashboard(onTestFinished, { path: `/bots/${bot.bot_id}/runs` });
    await page.getByText('It has not run yet').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    const row = page.getByRole('row', { name: /Succeeded.*By hand.*counted 3 coins/ });
    await row.waitFor();
    await row.getByRole('button').click();
    const [run] = await runsOf(host, bot.bot_id);
    await page.getByRole('tree', { name: 'Result of the run' }).getByText('"counted 3 coins"').waitFor();
    expect(await page.getByRole('link', { name: 'Log of this run' }).getAttribute('href')).toBe(
      `/bots/${bot.bot_id}/logs?run=${run?.run_id}`,
    );
    // Viewing a stopped bot does not start it.
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await page.getByRole('button', { name: 'Ask what it answers' }).waitFor();
  });

  it('changes state only when that was asked for, and not under a running bot', async ({ onTestFinished }) => {
    const bot = await steady('keeper');
    const page = await dashboard(onTestFinished, { path: `/bots/${bot.bot_id}/state` });
    const tree = page.getByRole('tree', { name: 'Value of book' });
    await tree.getByText('[ 250 items ]').click();
    await tree.getByText('0 … 99').waitFor();
    await tree.press('End');
    await tree.getByText('200 … 249').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await page.getByRole('switch', { name: 'Allow changes' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await barriers(page)).toEqual([]);
    const value = page.getByLabel('Value, as JSON');
    await value.fill('{"cash": 5');
    await page.getByText('Not JSON:').waitFor();
    await value.fill('{"cash": 5}');
    const save = page.getByRole('button', { name: 'Save value' });
    expect(await save.isEnabled()).toBe(false);
    await page.getByLabel('Type book to change it').fill('book');
    await save.click();
    await page.getByText('BOT_RUNNING').waitFor();
    const stop = page.getByRole('button', { name: 'Stop' });
    await stop.click();
    await botUntil(host, bot.bot_id, 'the stop', (one) => one.status === 'stopped');
    await page.getByRole('button', { name: 'Undo' }).click();
    await botUntil(host, bot.bot_id, 'the way back', (one) => one.status === 'running');
    await stop.click();
    await botUntil(host, bot.bot_id, 'the second stop', (one) => one.status === 'stopped');
    await save.click();
    await tree.getByText('5', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type book to delete it').fill('book');
    await page.getByRole('button', { name: 'Delete key' }).click();
    await page.getByText('It has stored nothing').waitFor();
    expect(await call(host, 'GET', `/api/v1/bots/${bot.bot_id}/state`)).toMatchObject({ keys: [] });
  });

  it('asks a bot, and says how to ask elsewhere', async ({ onTestFinished }) => {
    // The page is there before anybody can be asked.
    const bot = await steady(
      'teller',
      QUERY.replace('query.run', 'await new Promise((done) => setTimeout(done, 1500));\nquery.run'),
    );
    const page = await dashboard(onTestFinished, { path: `/bots/${bot.bot_id}/query`, colorScheme: 'light' });
    await page.getByRole('button', { name: '/echo' }).click();
    await page.getByRole('button', { name: 'Add parameter' }).click();
    await page.getByLabel('Name of parameter 1').fill('text');
    await page.getByLabel('Value of parameter 1').fill("it's me");
    await page.keyboard.press('Enter');
    await page.getByRole('tree', { name: 'Answer of /echo' }).getByText('"it\'s me"').waitFor();
    await page.getByText(/by the running bot/).waitFor();
    await page.getByText(`platform bot query ${bot.bot_id} /echo --params`).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByLabel('Path').fill('/nothing');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('alert').getByText('QUERY_PATH_NOT_FOUND').waitFor();
    await page.getByRole('button', { name: /^Answered \/echo/ }).click();
    await page.getByRole('tree', { name: 'Answer of /echo' }).waitFor();
    expect(await page.getByLabel('Path').inputValue()).toBe('/echo');
  });

  it('is named, limited and deleted in its settings', async ({ onTestFinished }) => {
    const bot = await steady('short-lived');
    const page = await dashboard(onTestFinished, { path: `/bots/${bot.bot_id}/settings` });
    await page.getByLabel('Name').fill('Short lived');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'Short lived' }).waitFor();
    const memory = page.getByLabel('Memory, MB');
    await memory.fill('1');
    await page.getByText('Must be from 16 to').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isEnabled()).toBe(false);
    await memory.fill('512');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
    expect((await getBot(host, bot.bot_id)).options).toMatchObject({ memory_mb: 512 });
    await page.getByRole('button', { name: 'Actions for Short lived' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('alertdialog');
    expect(await dialog.getByRole('button', { name: 'Delete bot' }).isEnabled()).toBe(false);
    await dialog.getByLabel(/Type Short lived/).fill('Short lived');
    await dialog.getByRole('button', { name: 'Delete bot' }).click();
    await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect((await host.fetch(`/api/v1/bots/${bot.bot_id}`)).status).toBe(404);
  });

  it('has a fleet that a keyboard can walk, choose from and act on', async ({ onTestFinished }) => {
    const first = await steady('zz-first');
    const second = await steady('zz-second');
    onTestFinished(async () => {
      for (const { bot_id } of [first, second]) await call(host, 'DELETE', `/api/v1/bots/${bot_id}`);
    });
    const page = await dashboard(onTestFinished);
    // The host keeps the filter, also from an earlier try.
    await page.getByRole('button', { name: /^All/ }).click();
    await page.getByLabel('Search bots').fill('zz');
    await page.getByRole('link', { name: 'zz-first' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('toolbar', { name: 'Selected bots' }).getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped 2 of 2').waitFor();
    for (const { bot_id } of [first, second]) {
      await botUntil(host, bot_id, 'it to stop', (bot) => bot.status === 'stopped');
    }
    await page.getByRole('link', { name: 'zz-second' }).focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'zz-first' }).waitFor();
    await page.goBack();
    expect(await page.getByLabel('Search bots').inputValue()).toBe('zz');
    await page.getByRole('button', { name: /^Stopped/ }).click();
    // The page receives the change after this test does.
    for (const name of ['zz-first', 'zz-second']) await page.getByRole('row').getByRole('link', { name }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all bots shown' }).check();
    const bar = page.getByRole('toolbar', { name: 'Selected bots' });
    await bar.getByRole('button', { name: 'Start', exact: true }).click();
    // The outcome is shown even when the action has removed the bots from the list.
    await page.getByText('No bot has a name like “zz”').waitFor();
    await bar.getByText('Started 2 of 2').waitFor();
    await bar.getByRole('button', { name: 'Clear' }).click();
    await bar.waitFor({ state: 'detached' });
    // And it can be taken back, without the list that they have left.
    const said = page.getByRole('region', { name: 'Messages' }).getByRole('listitem');
    await said.filter({ hasText: 'Started 2 bots' }).getByRole('button', { name: 'Undo' }).click();
    for (const { bot_id } of [first, second]) await botUntil(host, bot_id, 'it to stop again', (bot) => !bot.enabled);
  });

  it('copies also where the page has no clipboard', async ({ onTestFinished }) => {
    const page = await dashboard(onTestFinished, { path: '/settings/keys' });
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('plain');
    await page.getByRole('button', { name: 'Make key' }).click();
    const key = await page.getByRole('dialog').locator('pre').innerText();
    await page.getByRole('button', { name: 'Copy key' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('Navigator.prototype.__lookupGetter__("clipboard").call(navigator).readText()')).toBe(
      key.trim(),
    );
  });
});
