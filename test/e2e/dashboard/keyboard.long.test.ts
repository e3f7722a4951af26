import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Bot } from '../../../src/contract/bot.ts';
import { openDashboard } from '../../support/browser.ts';
import { Keyboard } from '../../support/dashboard/keyboard.ts';
import { exampleCopy, testHost } from '../../support/platform.ts';
import { call, publishFolder } from '../../support/tiny-bot.ts';

const SIGNAL_WITHIN_MS = 60_000;
const PATIENT = { timeout: 30_000 };

const tab = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('navigation', { name: 'Tabs of' }).getByRole('link', { name, exact: true });
const line = (page: Page, text: string): Locator =>
  page.getByRole('region', { name: 'Log of' }).getByRole('listitem').filter({ hasText: text });

/** The price alerts, in a version of their own with a typing mistake. */
function mistakenAlerts(): string {
  const dir = exampleCopy('node-price-alerts');
  for (const [file, from, to] of [
    ['bot-config.yaml', 'version: 1.0.0', 'version: 1.0.1'],
    ['bot.mjs', 'settings.thresholds', 'settings.tresholds'],
  ] as const) {
    writeFileSync(join(dir, file), readFileSync(join(dir, file), 'utf8').replaceAll(from, to));
  }
  return dir;
}

it('leads a newcomer by keys alone through all that a bot lives through', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const page = await openDashboard(host, onTestFinished);
  const keyboard = new Keyboard(page);
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const running = async (name: string): Promise<void> => {
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await button('Restart').waitFor();
    await keyboard.isKept();
  };

  // The first bot, by one key.
  const sample = button('Deploy the sample bot');
  await expect.poll(() => sample.isEnabled(), PATIENT).toBe(true);
  await keyboard.press(sample);
  await running('SMA crossover AAPL (Node)');
  const chart = page.getByRole('figure', { name: 'AAPL', exact: true });
  await chart.locator('canvas').waitFor(PATIENT);
  const signals = chart.getByText(/[1-9]\d* BUY and|[1-9]\d* SELL signals/);
  await signals.waitFor({ state: 'attached', timeout: SIGNAL_WITHIN_MS });
  await page
    .getByText(/^(BUY|SELL) AAPL at [\d.]+$/)
    .first()
    .waitFor(PATIENT);

  // A second one, by the form.
  await keyboard.keys('g', 'd');
  await page.getByRole('heading', { level: 1, name: 'Deploy a bot' }).waitFor();
  await keyboard.isKept();
  await keyboard.press(page.getByText('Or begin with a sample'));
  await keyboard.press(button('Use node-price-alerts'));
  await page.waitForURL(/custom_bot=node-price-alerts/);
  await keyboard.isKept();
  await keyboard.write(page.getByRole('textbox', { name: 'Name of the bot' }), 'My alerts');
  await keyboard.press(button('Remove MSFT'));
  await button('Remove MSFT').waitFor({ state: 'detached' });
  await keyboard.isKept();
  await keyboard.press(button('Deploy'));
  await running('My alerts');

  // Its log: followed, and searched.
  await keyboard.press(tab(page, 'Logs'));
  await button('Following').waitFor();
  await keyboard.press(button('Restart'));
  await expect.poll(() => line(page, 'watches AAPL every 30000 ms').count(), PATIENT).toBe(2);
  await running('My alerts');
  await page.getByText(/by the deploy · 1\.0\.0 · (succeeded|was stopped)/).waitFor(PATIENT);
  await page.getByText(/by a restart · 1\.0\.0/).waitFor(PATIENT);
  const search = page.getByRole('textbox', { name: 'Search the whole log' });
  await keyboard.write(search, 'watches');
  await keyboard.keys('Enter');
  await page.getByText('2 of 2').waitFor();
  await keyboard.isKept();

  // A question.
  await keyboard.press(tab(page, 'Query'));
  await keyboard.press(button('/alerts'), 'Space');
  await keyboard.press(button('Ask'));
  await page.getByRole('tree', { name: 'Answer of /alerts' }).getByText('total').waitFor();
  await keyboard.isKept();

  // Another setting.
  await keyboard.press(tab(page, 'Config'));
  await keyboard.write(page.getByRole('textbox', { name: 'update_interval_ms' }), '45000');
  const changes = page.getByRole('region', { name: 'Changes' });
  await keyboard.press(changes.getByRole('button', { name: 'Save' }));
  await changes.waitFor({ state: 'detached' });
  await keyboard.isKept();
  await keyboard.press(tab(page, 'Logs'));
  await line(page, 'watches AAPL every 45000 ms').waitFor(PATIENT);

  // A version with a mistake.
  expect((await publishFolder(host, mistakenAlerts())).status).toBe(201);
  await keyboard.keys('g', 'c');
  await keyboard.press(page.getByRole('link', { name: 'node-price-alerts', exact: true }));
  await page.getByRole('heading', { level: 1, name: 'node-price-alerts' }).waitFor();
  await keyboard.isKept();
  await keyboard.press(tab(page, /^Bots/));
  await keyboard.press(button('Update 1 bot'));
  await keyboard.press(page.getByRole('alertdialog').getByRole('button', { name: 'Update 1 bot' }));
  await page.getByRole('cell', { name: 'Changed' }).waitFor();
  await keyboard.isKept();
  await keyboard.press(page.getByRole('link', { name: 'My alerts' }));

  // To its failure, and back.
  const card = page.getByRole('region', { name: /TypeError in bot\.mjs:\d+: Cannot convert undefined or null/ });
  await card.getByText('NODE_EXCEPTION').waitFor(PATIENT);
  await card.getByText('Version 1.0.0 → 1.0.1').waitFor(PATIENT);
  const where = card.getByText(/bot\.mjs:\d+/).first();
  await where.waitFor(PATIENT);
  await keyboard.isKept();
  await keyboard.press(card.getByRole('button', { name: 'Roll back to 1.0.0' }));
  await card.waitFor({ state: 'detached', timeout: 30_000 });
  await running('My alerts');

  // Away with it.
  await keyboard.press(button('Actions for My alerts'));
  await keyboard.to(page.getByRole('menuitem', { name: 'Delete…' }), 'ArrowDown');
  await keyboard.keys('Enter');
  const dialog = page.getByRole('alertdialog');
  await keyboard.write(dialog.getByLabel('Type My alerts to delete it'), 'My alerts');
  await keyboard.press(dialog.getByRole('button', { name: 'Delete bot' }));
  await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  await keyboard.isKept();
  await page.getByRole('link', { name: 'My alerts' }).waitFor({ state: 'detached' });
  const { items } = await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots');
  expect(items.map(({ name }) => name)).toEqual(['SMA crossover AAPL (Node)']);
});
