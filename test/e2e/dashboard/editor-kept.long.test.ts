import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it, type TestContext } from 'vitest';
import type { Project } from '../../../src/contract/project.ts';
import { openDashboard } from '../../support/browser.ts';
import { sharedHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { call } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const PATIENT = { timeout: 30_000 };
/** A folder for pictures of the steps; without it there are none. */
const SHOTS = process.env.EDITOR_SHOTS;

const shared = sharedHost();

async function shoot(page: Page, step: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${step}.png`) });
}

const text = (page: Page): Locator => page.locator('.monaco-editor .view-lines').first();

/** Opens a new project of Node in a page, which shows `file` of it. */
async function openProject(
  onTestFinished: TestContext['onTestFinished'],
  file: string,
  script = '',
): Promise<{ page: Page; dir: string; at: string }> {
  const host = shared(onTestFinished);
  const dir = join(tempDir(), 'keeper');
  const input = { dir, template: 'node', name: 'keeper' };
  const { project_id } = await call<Project>(host, 'POST', '/api/v1/projects/create', input);
  const page = await openDashboard(host, onTestFinished, { path: '/', viewport: { width: 1440, height: 900 } });
  await page.addInitScript(script);
  const at = new URL(`/editor/${project_id}`, host.url).href;
  await page.goto(at);
  await page.getByRole('treeitem', { name: file }).click();
  await text(page).waitFor(PATIENT);
  return { page, dir, at };
}

/** Types at the end of the file that is shown. */
async function type(page: Page, typed: string): Promise<void> {
  await text(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(typed);
}

it('shows what was typed also while the folder is away, and goes on when it is back', async ({ onTestFinished }) => {
  const { page, dir } = await openProject(onTestFinished, 'bot.mjs');
  await type(page, '// one');
  await page.getByText('1 not saved').waitFor();
  renameSync(dir, `${dir}-2`);
  await page.reload();
  const away = page.getByRole('complementary', { name: 'Project' }).getByText('is not there any more');
  await away.waitFor(PATIENT);
  await page.getByText('1 not saved').waitFor();
  await text(page).getByText('symbol').first().waitFor(PATIENT);
  await shoot(page, 'folder-gone');
  // The page notices by itself.
  renameSync(`${dir}-2`, dir);
  await away.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+S');
  await page.getByText('All saved').waitFor();
  expect(readFileSync(join(dir, 'bot.mjs'), 'utf8')).toMatch(/\/\/ one$/);
});

it('keeps the mark at the beginning of a file as another program has set it', async ({ onTestFinished }) => {
  const { page, dir } = await openProject(onTestFinished, 'README.md');
  const file = join(dir, 'README.md');
  for (const mark of ['\ufeff', '']) {
    writeFileSync(file, `${mark}elsewhere-${mark.length}\n`);
    await text(page).getByText(`elsewhere-${mark.length}`).waitFor();
    await type(page, 'typed');
    await page.keyboard.press('Control+S');
    await expect.poll(() => readFileSync(file, 'utf8')).toBe(`${mark}elsewhere-${mark.length}\ntyped`);
  }
});

it('asks before what is typed is lost in a browser that stores nothing', async ({ onTestFinished }) => {
  const { page } = await openProject(
    onTestFinished,
    'bot.mjs',
    'IDBFactory.prototype.open = () => { throw new Error("no room"); }',
  );
  await page.getByText('What you type is not kept here: save it often').waitFor(PATIENT);
  await type(page, '// typed');
  await page.getByText('1 not saved, nor kept in this browser').waitFor();
  await page.getByRole('link', { name: 'Fleet' }).click();
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.waitFor();
  await shoot(page, 'not-kept');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('Control+S');
  await page.getByText('All saved').waitFor();
  await page.getByRole('link', { name: 'Fleet' }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe('/');
});

it('knows the settings of a schema that is not open, and what differs from a version as it changes', async ({
  onTestFinished,
}) => {
  const { page, dir } = await openProject(onTestFinished, 'instance.json');
  writeFileSync(join(dir, 'instance.json'), '{\n  "config": {\n    \n  }\n}\n');
  await expect.poll(() => text(page).innerText()).not.toContain('"name"');
  const symbol = page.locator('.suggest-widget').getByText('symbol').first();
  await until(
    'the setting to be suggested',
    async () => {
      await text(page).click();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('End');
      await page.keyboard.press('Control+Space');
      // Suggestions come later than their box; before the schema is read, they never come.
      return symbol.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    },
    PATIENT.timeout,
  );
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Publish version' }).click();
  await page.getByText('keeper 1.0.0 is published.').waitFor(PATIENT);
  await page.getByRole('button', { name: 'Changes since the published version' }).click();
  await page.getByText('The saved files are those of keeper 1.0.0.').waitFor(PATIENT);
  const readme = join(dir, 'README.md');
  const before = readFileSync(readme, 'utf8');
  writeFileSync(readme, 'other');
  await page.getByRole('button', { name: /README\.md\s*changed/ }).waitFor(PATIENT);
  writeFileSync(readme, before);
  await page.getByText('The saved files are those of keeper 1.0.0.').waitFor(PATIENT);
});

it('compares a text with that of another program, and merges both by hand with the keyboard', async ({
  onTestFinished,
}) => {
  const { page, dir } = await openProject(onTestFinished, 'README.md');
  const readme = join(dir, 'README.md');
  writeFileSync(readme, 'one\ntwo\nthree\n');
  await text(page).getByText('three').waitFor(PATIENT);
  await type(page, 'mine');
  writeFileSync(readme, 'one\ntheirs\nthree\nfour\n');
  const trouble = page.getByRole('alert').filter({ hasText: 'Another program has changed README.md' });
  await trouble.waitFor();
  await trouble.getByRole('button', { name: 'Compare' }).press('Enter');
  const diff = page.locator('.monaco-diff-editor');
  await diff.locator('.original').getByText('theirs').waitFor(PATIENT);
  await diff.locator('.line-insert').first().waitFor(PATIENT);
  // What is typed beside the other text counts, and so does another write meanwhile.
  writeFileSync(readme, 'one\ntheirs again\nthree\nfour\n');
  await diff.locator('.original').getByText('again').waitFor(PATIENT);
  await shoot(page, 'merge');
  await page.setViewportSize({ width: 390, height: 844 });
  await shoot(page, 'merge-phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Alt+Enter');
  await diff.locator('.modified .view-lines').getByText('theirs again').waitFor(PATIENT);
  expect(readFileSync(readme, 'utf8')).toBe('one\ntheirs again\nthree\nfour\n');
  await page.getByRole('button', { name: 'Keep mine and save' }).press('Enter');
  await page.getByText('All saved').waitFor();
  expect(readFileSync(readme, 'utf8')).toBe('one\ntheirs again\nthree\nmine');
  await text(page).getByText('mine').waitFor(PATIENT);
});
