import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Bot } from '../../../src/contract/bot.ts';
import { openDashboard } from '../../support/browser.ts';
import { testHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { call } from '../../support/tiny-bot.ts';

const PATIENT = { timeout: 30_000 };
/** A folder for pictures of the steps; without it there are none. */
const SHOTS = process.env.EDITOR_SHOTS;

/** Takes a picture of a page in both themes. */
async function shoot(page: Page, step: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SHOTS, `${step}-${colorScheme}.png`) });
  }
}

const file = (page: Page, name: string): Locator => page.getByRole('treeitem', { name, exact: false });
const text = (page: Page): Locator => page.locator('.monaco-editor .view-lines').first();

/** Replaces a text in the shown file with the editor's own keys: find, and type over the match. */
async function retype(page: Page, from: string, to: string): Promise<void> {
  await select(page, from);
  await page.keyboard.insertText(to);
}

async function select(page: Page, wanted: string): Promise<void> {
  await text(page).click();
  await page.keyboard.press('Control+F');
  const find = page.getByRole('textbox', { name: 'Find' });
  await find.fill(wanted);
  await find.press('Enter');
  await page.keyboard.press('Escape');
}

/** Types behind a text of the file that is shown. */
async function typeBehind(page: Page, found: string, typed: string): Promise<void> {
  await select(page, found);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.insertText(typed);
}

it('leads from a template to a bot in service, to its next version and back', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const page = await openDashboard(host, onTestFinished, { path: '/editor', viewport: { width: 1440, height: 900 } });
  const dir = join(tempDir(), 'crosser');

  // A project from a template.
  await page.getByRole('textbox', { name: 'Name' }).fill('crosser');
  await page.getByRole('combobox', { name: 'Language' }).selectOption('node');
  const form = page.getByRole('form', { name: 'New project' });
  await form.getByRole('textbox', { name: 'Folder' }).fill(dir);
  await shoot(page, 'chooser');
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'crosser' }).waitFor();

  // A mistake is underlined as it is typed, with the words of the host, and goes when it is put right.
  await file(page, 'bot-config.yaml').click();
  await text(page).getByText('realtime').waitFor(PATIENT);
  await retype(page, 'type: realtime', 'type: realtme');
  const problem = page.getByRole('listitem').filter({ hasText: 'type is "realtme"' });
  await problem.waitFor();
  expect(await problem.innerText()).toContain('Did you mean realtime?');
  await page.locator('.monaco-editor .squiggly-error').waitFor();
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  await shoot(page, 'problem');
  await retype(page, 'realtme', 'realtime');
  await page.getByText('The host finds nothing wrong with the project.').waitFor();

  // Unsaved text survives a reload, and so does the size that the keyboard gave a panel.
  await file(page, 'bot.mjs').click();
  await text(page).getByText('symbol, round').first().waitFor(PATIENT);
  await retype(page, 'rounds = memory', 'rounds = = memory');
  await page.getByRole('listitem').filter({ hasText: 'bot.mjs:' }).first().waitFor(PATIENT);
  await retype(page, 'rounds = = memory', 'rounds = memory');
  await page.getByText('The host finds nothing wrong with the project.').waitFor(PATIENT);
  await typeBehind(page, "metric('round", 'ed');
  const line = page.getByRole('separator', { name: 'Width of the files' });
  await line.press('ArrowRight');
  await line.press('ArrowRight');
  await page.getByText('1 not saved').waitFor();
  await expect
    .poll(async () => {
      await page.reload();
      await text(page).getByText('symbol, rounds').first().waitFor(PATIENT);
      return text(page).innerText();
    }, PATIENT)
    .toContain("metric('rounded'");
  expect(readFileSync(join(dir, 'bot.mjs'), 'utf8')).toContain("metric('round'");
  await page.getByText('1 not saved').waitFor();
  expect(await line.getAttribute('aria-valuenow')).toBe('272');
  await line.dblclick();
  expect(await line.getAttribute('aria-valuenow')).toBe('240');
  const { x = 0, y = 0 } = (await line.boundingBox()) ?? {};
  await page.mouse.move(x + 4, y + 200);
  await page.mouse.down();
  await page.mouse.move(x + 64, y + 200);
  await page.mouse.up();
  expect(await page.getByRole('complementary', { name: 'Project' }).evaluate((one) => one.clientWidth)).toBe(300);

  // Another program changes the same file: nothing is lost before the user chooses.
  writeFileSync(join(dir, 'bot.mjs'), `${readFileSync(join(dir, 'bot.mjs'), 'utf8')}// by another program\n`);
  const trouble = page.getByRole('alert').filter({ hasText: 'Another program has changed bot.mjs' });
  await trouble.waitFor();
  await shoot(page, 'trouble');
  await trouble.getByRole('button', { name: 'Keep mine and save' }).click();
  await page.getByText('All saved').waitFor();
  const saved = readFileSync(join(dir, 'bot.mjs'), 'utf8');
  expect(saved).toContain("metric('rounded'");
  expect(saved).not.toContain('by another program');
  // And where nothing was typed, the other text is simply shown.
  writeFileSync(join(dir, 'bot.mjs'), saved.replace("metric('rounded'", "metric('lap'"));
  await text(page).getByText("'lap'").waitFor();

  // A run here, with its output.
  await page.getByRole('button', { name: 'Run locally' }).click();
  await page.getByText('lap · rounds').first().waitFor(PATIENT);
  await shoot(page, 'run');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText(/^Stopped after/).waitFor(PATIENT);

  // A version, and a bot of it that starts from instance.json.
  const instance = join(dir, 'instance.json');
  const said = JSON.parse(readFileSync(instance, 'utf8'));
  writeFileSync(instance, JSON.stringify({ ...said, config: { ...said.config, symbol: 'FROM-FILE' } }, null, 2));
  await page.getByRole('button', { name: 'Publish version' }).click();
  await page.getByText('crosser 1.0.0 is published.').waitFor(PATIENT);
  await shoot(page, 'published');
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await expect.poll(() => page.getByRole('textbox', { name: /symbol/i }).inputValue(), PATIENT).toBe('FROM-FILE');
  await page.getByRole('textbox', { name: 'Name of the bot' }).fill('Crosser live');
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Crosser live' }).waitFor(PATIENT);
  const botOf = async (): Promise<Bot | undefined> =>
    (await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items.find(({ name }) => name === 'Crosser live');
  await expect.poll(async () => (await botOf())?.status, PATIENT).toBe('running');

  // The next version: what differs is seen before it is published.
  await page.goto(new URL('/editor', host.url).href);
  await page.getByRole('link', { name: 'crosser' }).click();
  await file(page, 'bot-config.yaml').click();
  await text(page).getByText('realtime').waitFor(PATIENT);
  await retype(page, 'version: 1.0.0', 'version: 1.0.1');
  await page.keyboard.press('Control+S');
  await page.getByText('All saved').waitFor();
  await page.getByRole('button', { name: 'Changes since the published version' }).click();
  await page.getByRole('button', { name: /bot-config\.yaml\s*changed/ }).click();
  await page.locator('.monaco-diff-editor .line-insert').first().waitFor(PATIENT);
  await shoot(page, 'changes');
  await page.getByRole('button', { name: 'Publish version' }).click();
  await page.getByText('crosser 1.0.1 is published.').waitFor(PATIENT);
  await page.getByRole('link', { name: 'Bring bots to it' }).click();
  const bring = async (word: string): Promise<void> => {
    await page.getByRole('button', { name: `${word} 1 bot` }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: `${word} 1 bot` })
      .click();
    await page.getByRole('cell', { name: 'Changed' }).waitFor();
  };
  await bring('Update');
  await expect.poll(async () => (await botOf())?.version, PATIENT).toBe('1.0.1');
  await page.getByRole('combobox', { name: 'Bring to version' }).selectOption('1.0.0');
  await bring('Roll back');
  await expect.poll(async () => (await botOf())?.version, PATIENT).toBe('1.0.0');
});
