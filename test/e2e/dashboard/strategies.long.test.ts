import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { barriers } from '../../support/dashboard/barriers.ts';
import { testHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';

/** A folder for pictures of the cards; without it there are none. */
const SHOTS = process.env.STRATEGY_SHOTS;

async function shoot(page: Page, step: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SHOTS, `${step}-${colorScheme}.png`), fullPage: true });
  }
}

it('leads from the card of a strategy to a project with its files', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const page = await openDashboard(host, onTestFinished, { path: '/deploy', viewport: { width: 1280, height: 820 } });
  await page.getByRole('heading', { name: 'Write your own' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await shoot(page, 'deploy');
  await page.getByRole('link', { name: /Grid trader/ }).click();
  await page.waitForURL(/\/editor\?strategy=grid$/);

  // Cards are radio buttons: the keys of such lead through them.
  const form = page.getByRole('form', { name: 'New project' });
  const card = (name: string) => form.getByRole('radio', { name: new RegExp(name) });
  expect(await card('Grid trader').isChecked()).toBe(true);
  await card('Grid trader').focus();
  await page.keyboard.press('ArrowDown');
  expect(await card('Regular buyer').isChecked()).toBe(true);
  const language = form.getByRole('combobox', { name: 'Language' });
  expect(await language.locator('option').allInnerTexts()).toEqual(['Python', 'JavaScript (Node)']);
  await language.selectOption({ label: 'JavaScript (Node)' });
  await card('Price alert').check();
  expect(await language.inputValue()).toBe('node-price-alert');
  await card('Empty bot').check();
  expect(await language.locator('option').allInnerTexts()).toEqual([
    'Python',
    'JavaScript (Node)',
    'TypeScript (Node)',
    'C++ (built with make)',
    'Bash, without an SDK',
    'Awk, without an SDK (scheduled)',
  ]);
  await card('Rebalancer').check();
  expect(await barriers(page)).toEqual([]);
  await shoot(page, 'editor');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await shoot(page, 'editor-narrow');

  const dir = join(tempDir(), 'balanced');
  await form.getByRole('textbox', { name: 'Name' }).fill('balanced');
  await form.getByRole('textbox', { name: 'Folder' }).fill(dir);
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'balanced' }).waitFor();
  expect(readdirSync(dir)).toEqual(
    expect.arrayContaining(['bot.mjs', 'paper.mjs', 'decimal.mjs', 'prices.mjs', 'bot-schema.json']),
  );
});
