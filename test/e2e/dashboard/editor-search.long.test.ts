import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Project } from '../../../src/contract/project.ts';
import { openDashboard } from '../../support/browser.ts';
import { sharedHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { call } from '../../support/tiny-bot.ts';

const PATIENT = { timeout: 30_000 };
/** A folder for pictures of the steps; without it there are none. */
const SHOTS = process.env.EDITOR_SHOTS;

const shared = sharedHost();

/** Takes pictures of a page in both themes, and on a phone. */
async function shoot(page: Page, step: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SHOTS, `${step}-${colorScheme}.png`) });
  }
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: join(SHOTS, `${step}-phone.png`) });
  if (size !== null) await page.setViewportSize(size);
}

const text = (page: Page): Locator => page.locator('.monaco-editor .view-lines').first();

it('searches as it is typed, and replaces over the project by keyboard alone, which can be undone', async ({
  onTestFinished,
}) => {
  const host = shared(onTestFinished);
  const dir = join(tempDir(), 'seeker');
  const input = { dir, template: 'node', name: 'seeker' };
  const { project_id } = await call<Project>(host, 'POST', '/api/v1/projects/create', input);
  writeFileSync(join(dir, 'notes.md'), 'Needle one\nneedle two\n');
  writeFileSync(join(dir, 'other.md'), 'needle three\n');
  const page = await openDashboard(host, onTestFinished, { path: '/', viewport: { width: 1280, height: 820 } });
  await page.goto(new URL(`/editor/${project_id}`, host.url).href);

  // The program of the bot is what a new project shows first.
  await page
    .getByRole('navigation', { name: 'Open files' })
    .getByRole('button', { name: 'bot.mjs', exact: true })
    .waitFor(PATIENT);

  // What is typed and not saved is found too, and nothing has to be sent off.
  await page.getByRole('treeitem', { name: 'notes.md' }).click();
  await text(page).getByText('Needle one').waitFor(PATIENT);
  await text(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('typed needle');
  await page.keyboard.press('Control+Shift+H');
  const side = page.getByRole('complementary', { name: 'Project' });
  await page.keyboard.type('needle');
  await side.getByText('4 in 2 files').waitFor(PATIENT);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await side.getByText('3 in 2 files').waitFor(PATIENT);
  await page.keyboard.press('Tab');
  await page.keyboard.type('pin');
  await side.locator('ins').first().waitFor();
  expect(await side.getByRole('list', { name: 'Found' }).locator('code').allInnerTexts()).toEqual([
    'needlepin two',
    'typed needlepin',
    'needlepin three',
  ]);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  await shoot(page, 'replace');

  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Replaced in 3 places of 2 files').waitFor();
  await side.getByText('Nothing found.').waitFor(PATIENT);
  expect(readFileSync(join(dir, 'other.md'), 'utf8')).toBe('pin three\n');
  // A file with unsaved text keeps it unsaved.
  expect(readFileSync(join(dir, 'notes.md'), 'utf8')).toBe('Needle one\nneedle two\n');
  await text(page).getByText('typed pin').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await text(page).getByText('typed needle').waitFor();
  await expect.poll(() => readFileSync(join(dir, 'other.md'), 'utf8')).toBe('needle three\n');

  // In one file.
  await side.getByRole('button', { name: 'Replace in other.md' }).click();
  await expect.poll(() => readFileSync(join(dir, 'other.md'), 'utf8')).toBe('pin three\n');
  await text(page).getByText('typed needle').waitFor();
});
