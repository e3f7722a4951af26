import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Bot } from '../../../src/contract/bot.ts';
import type { Preferences } from '../../../src/contract/preferences.ts';
import { openDashboard } from '../../support/browser.ts';
import { exampleCopy, testHost } from '../../support/platform.ts';
import { variants } from '../../support/proof.ts';
import { call, deployTiny, publishFolder } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const SIGNAL_WITHIN_MS = 60_000;
const PATIENT = { timeout: 30_000 };
/** A folder for pictures of the steps; without it there are none. */
const SHOTS = process.env.NEWCOMER_SHOTS;

/** Takes a picture of a page, numbered in the order of the steps. */
function camera(page: Page): (step: string) => Promise<void> {
  let taken = 0;
  return async (step) => {
    taken += 1;
    if (SHOTS === undefined) return;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${String(taken).padStart(2, '0')}-${step}.png`), fullPage: true });
  };
}

/** The price alerts with a version of their own that has a typing mistake. */
function mistakenAlerts(): string {
  const dir = exampleCopy('node-price-alerts');
  const change = (file: string, from: string, to: string): void => {
    const path = join(dir, file);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, to));
  };
  change('bot-config.yaml', 'version: 1.0.0', 'version: 1.0.1');
  change('bot.mjs', 'Object.keys(settings.thresholds)', 'Object.keys(settings.tresholds)');
  return dir;
}

const tab = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Tabs of' }).getByRole('link', { name, exact: true });
const place = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });
const line = (page: Page, text: string): Locator =>
  page.getByRole('region', { name: 'Log of' }).getByRole('listitem').filter({ hasText: text });

/** keyboard.test.ts leads the same way by keys, and the tests of each place use the pointer: the whole walk is a variant. */
const WALKS = variants([], ['by its pointer']);

it.for(WALKS)(
  'leads a newcomer from the welcome to a bot that signals, and through the life of a second one, %s',
  async (_, { onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const page = await openDashboard(host, onTestFinished);
    const shot = camera(page);

    // One click, and a bot is at work.
    const sample = page.getByRole('button', { name: 'Deploy the sample bot' });
    await expect.poll(() => sample.isEnabled(), PATIENT).toBe(true);
    await shot('welcome');
    const clicked = performance.now();
    await sample.click();
    await page.getByRole('heading', { level: 1, name: 'SMA crossover AAPL (Node)' }).waitFor();
    const opened = performance.now() - clicked;
    const chart = page.getByRole('figure', { name: 'AAPL', exact: true });
    await chart.locator('canvas').waitFor();
    const drawn = performance.now() - clicked;
    await shot('first-bot');
    await chart
      .getByText(/[1-9]\d* BUY and|[1-9]\d* SELL signals/)
      .waitFor({ state: 'attached', timeout: SIGNAL_WITHIN_MS });
    const signalled = performance.now() - clicked;
    expect(signalled).toBeLessThan(SIGNAL_WITHIN_MS);
    await page
      .getByText(/^(BUY|SELL) AAPL at [\d.]+$/)
      .first()
      .waitFor();
    await shot('first-signal');

    // A second bot, of another sample, by the form.
    await place(page, 'Deploy').click();
    await page.getByText('Or begin with a sample').click();
    await page.getByRole('button', { name: 'Use node-price-alerts' }).click();
    await page.getByRole('textbox', { name: 'Name of the bot' }).fill('My alerts');
    await page.getByRole('button', { name: 'Remove MSFT' }).click();
    await shot('deploy-form');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'My alerts' }).waitFor();
    await page.getByRole('button', { name: 'Restart' }).waitFor();
    await page.getByRole('figure', { name: 'AAPL', exact: true }).locator('canvas').waitFor();
    await shot('second-bot');

    // Its log, as it grows, and a search in it.
    await tab(page, 'Logs').click();
    await page.getByRole('button', { name: 'Following' }).waitFor();
    await expect.poll(() => line(page, 'watches AAPL every 30000 ms').count(), PATIENT).toBe(1);
    await page.getByRole('button', { name: 'Restart' }).click();
    await expect.poll(() => line(page, 'watches AAPL every 30000 ms').count(), PATIENT).toBe(2);
    await page.getByText(/by the deploy · 1\.0\.0 · (succeeded|was stopped)/).waitFor();
    await page.getByText(/by a restart · 1\.0\.0/).waitFor();
    await shot('log');
    const search = page.getByRole('textbox', { name: 'Search the whole log' });
    await search.fill('watches');
    await search.press('Enter');
    await page.getByText('2 of 2').waitFor();
    await shot('log-search');

    // A question to it.
    await tab(page, 'Query').click();
    await page.getByRole('button', { name: '/alerts' }).click();
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('tree', { name: 'Answer of /alerts' }).getByText('total').waitFor();
    await shot('query');

    // Another setting: what changes is shown before it is saved, and the bot takes it on.
    await tab(page, 'Config').click();
    await page.getByRole('textbox', { name: 'update_interval_ms' }).fill('45000');
    const changes = page.getByRole('region', { name: 'Changes' });
    expect(await changes.innerText()).toMatch(/update_interval_ms.*30000.*45000/s);
    await changes.getByText('The bot restarts once.').waitFor();
    await shot('config');
    await changes.getByRole('button', { name: 'Save' }).click();
    await changes.waitFor({ state: 'detached' });
    await tab(page, 'Logs').click();
    await line(page, 'watches AAPL every 45000 ms').waitFor();

    // A version with a mistake arrives, and the bot is brought to it.
    const published = await publishFolder(host, mistakenAlerts());
    expect(published.status).toBe(201);
    await place(page, 'Custom bots').click();
    await page.getByRole('link', { name: 'node-price-alerts', exact: true }).click();
    await page.getByRole('link', { name: /^Bots/ }).click();
    await shot('update');
    await page.getByRole('button', { name: 'Update 1 bot' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Update 1 bot' }).click();
    await page.getByRole('cell', { name: 'Changed' }).waitFor();
    await page.getByRole('link', { name: 'My alerts' }).click();

    // The card says what is wrong, and its button goes back.
    const card = page.getByRole('region', { name: /TypeError in bot\.mjs:\d+: Cannot convert undefined or null/ });
    await card.getByText('NODE_EXCEPTION').waitFor();
    await card.getByText('Version 1.0.0 → 1.0.1').waitFor();
    await card
      .getByText(/bot\.mjs:\d+/)
      .first()
      .waitFor();
    const back = card.getByRole('button', { name: 'Roll back to 1.0.0' });
    await back.waitFor();
    await shot('failure');
    await back.click();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Restart' }).waitFor();
    await page.getByRole('link', { name: 'node-price-alerts 1.0.0' }).waitFor();
    await shot('rolled-back');

    // Away with it; the first one stays.
    await page.getByRole('button', { name: 'Actions for My alerts' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel('Type My alerts to delete it').fill('My alerts');
    await shot('delete');
    await dialog.getByRole('button', { name: 'Delete bot' }).click();
    await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
    await page.getByRole('link', { name: 'SMA crossover AAPL (Node)' }).waitFor();
    await page.getByRole('link', { name: 'My alerts' }).waitFor({ state: 'detached' });
    await shot('fleet');

    const { items } = await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots');
    expect(items.map(({ name, status }) => [name, status])).toEqual([['SMA crossover AAPL (Node)', 'running']]);

    if (SHOTS !== undefined) {
      const times = { opened, drawn, signalled, whole: performance.now() - clicked };
      writeFileSync(join(SHOTS, 'times.json'), JSON.stringify(times, null, 2));
    }
  },
);

it('shows the fleet as a person wants it, also after the page was loaded anew', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  await deployTiny(host, { name: 'quiet', bot: 'setInterval(() => undefined, 60_000);' });
  const page = await openDashboard(host, onTestFinished);
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Problems' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Name', exact: true }).click();
  // What the page has not told yet would be lost with it.
  await until('the host to know', async () => {
    const { fleet_sort, fleet_columns } = await call<Preferences>(host, 'GET', '/api/v1/preferences');
    return fleet_sort === 'name' && !fleet_columns.includes('last_hour');
  });
  await page.reload();
  await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=ascending]')).waitFor();
  expect(await page.getByRole('columnheader', { name: 'Problems' }).count()).toBe(0);
});
