import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Project } from '../../../src/contract/project.ts';
import { openDashboard } from '../../support/browser.ts';
import { testHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { call } from '../../support/tiny-bot.ts';

/** The server begins with the first Python file that is opened, and reads the types of a whole standard library. */
const PATIENT = { timeout: 90_000 };
/** A folder for pictures of the steps; without it there are none. */
const SHOTS = process.env.EDITOR_SHOTS;

async function shoot(page: Page, step: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SHOTS, `${step}-${colorScheme}.png`) });
  }
}

const BOT = `import asyncio
import numpy
from indicators import average
from platform_sdk import metric

async def wait():
    await asyncio.sleep(1)

def work(prices):
    metric("mean", {"value": average(prices)})
    wait()
    return prces
`;
const INDICATORS = `def average(values: list[float]) -> float:
    """The mean of the newest prices."""
    return sum(values) / len(values)
`;

const text = (page: Page): Locator => page.locator('.monaco-editor .view-lines').first();
const word = (page: Page, wanted: string): Locator => text(page).getByText(wanted, { exact: true }).first();

it('finds mistakes in Python, explains, completes, and goes to definitions, without a network', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const dir = join(tempDir(), 'python');
  const project = await call<Project>(host, 'POST', '/api/v1/projects/create', {
    dir,
    template: 'python',
    name: 'python',
  });
  writeFileSync(join(dir, 'bot.py'), BOT);
  writeFileSync(join(dir, 'indicators.py'), INDICATORS);
  const page = await openDashboard(host, onTestFinished, { path: '/', viewport: { width: 1440, height: 900 } });
  const others: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(host.url)) others.push(request.url());
  });
  await page.goto(new URL(`/editor/${project.project_id}`, host.url).href);
  await page.getByRole('treeitem', { name: 'bot.py' }).click();
  await text(page).getByText('numpy').waitFor(PATIENT);

  // What is wrong is told; a package that the bot brings is not.
  await page.getByRole('listitem').filter({ hasText: '"prces" is not defined' }).waitFor(PATIENT);
  await expect.poll(() => page.locator('.squiggly-warning').count(), PATIENT).toBe(1);
  expect(await page.getByRole('listitem').filter({ hasText: 'numpy' }).count()).toBe(0);
  // The lines are marked beside their numbers, too.
  expect(await page.locator('.margin-view-overlays [class*="wrong"]').count()).toBe(1);
  expect(await page.locator('.margin-view-overlays [class*="odd"]').count()).toBe(1);

  // The status bar says where one is, what the server does, and leads to the problems.
  const status = page.getByRole('region', { name: 'Status of the editor' });
  await status.getByText('Python help: ready').waitFor(PATIENT);
  await page.getByRole('tab', { name: 'Output' }).click();
  await status.getByRole('button', { name: /1 problem/ }).press('Enter');
  await page.getByRole('listitem').filter({ hasText: '"prces" is not defined' }).click();
  await status.getByText('Line 12, column 12').waitFor();
  for (const said of ['4 spaces', 'UTF-8 · LF', 'Python', 'Saved'])
    await status.getByText(said, { exact: true }).waitFor();
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  await shoot(page, 'python-problem');

  await word(page, 'average').hover();
  await page.locator('.monaco-hover').getByText('The mean of the newest prices.').waitFor(PATIENT);
  await shoot(page, 'python-hover');

  // The SDK is known as it is, and what is typed counts before it is saved.
  await text(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('    metr');
  await page.keyboard.press('Control+Space');
  const suggested = page.locator('.suggest-widget').getByRole('option');
  await suggested.filter({ hasText: 'metric' }).first().waitFor(PATIENT);
  // Modules that the bot does not import stay out of it.
  expect(await suggested.filter({ hasText: 'MetavarTypeHelpFormatter' }).count()).toBe(0);
  await shoot(page, 'python-complete');
  await page.keyboard.press('Escape');
  for (let typed = 0; typed < '    metr'.length; typed += 1) await page.keyboard.press('Backspace');

  // A definition opens its file; a change of that file by another program is known at once.
  await word(page, 'average').click();
  await page.keyboard.press('F12');
  await text(page).getByText('The mean of the newest prices.').waitFor(PATIENT);
  await page.getByRole('treeitem', { name: 'bot.py' }).click();
  writeFileSync(join(dir, 'indicators.py'), 'def mean(values):\n    return 0\n');
  await page.locator('.squiggly-error, .squiggly-warning').nth(2).waitFor(PATIENT);
  expect(others).toEqual([]);
});
