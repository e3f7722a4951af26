import { readFileSync, writeFileSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { TestHost } from '../../support/platform.ts';
import { deployTiny, lineUntil } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

/** Prints a long history at once, then three lines whenever the file appears that its config names. */
const PRINTER = `
import { existsSync, rmSync } from 'node:fs';
import { parse } from '@bot-platform/sdk';
const { config } = parse();
const print = (line) => process.stdout.write(line + '\\n');
for (let i = 1; i <= 4000; i++) {
  if (i % 500 === 0) print(JSON.stringify({ level: 'error', msg: 'order refused', id: i, need: { cash: 10 } }));
  else if (i % 100 === 0) print('\\u001b[33mWARN\\u001b[0m slow ' + i);
  else print('tick ' + i);
}
process.stderr.write('to stderr\\n');
print('login with password=hunter2hunter2');
print('ready');
let n = 0;
setInterval(() => {
  if (!existsSync(config.file)) return;
  rmSync(config.file);
  for (let i = 0; i < 3; i++) print('fresh ' + ++n);
}, 30);
`;

// One host for all tests of this file: each has a bot of its own.
const host = new TestHost();
beforeAll(async () => void (await host.start()));
afterAll(() => host.stop());

const lines = (page: Page): Locator => page.getByRole('region', { name: 'Log of' });
const line = (page: Page, text: string): Locator => lines(page).getByRole('listitem').filter({ hasText: text });

/** What axe finds in this place, by all its rules; in other windows places.test.ts judges it. The frame around it has tests of its own. */
async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).exclude('nav').analyze();
  return found.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`);
}

describe('the logs of a bot in the dashboard', () => {
  it('shows the whole history, follows it, searches, filters, links and saves', async ({ onTestFinished }) => {
    const file = `${host.dataDir}/say`;
    const schema = { type: 'object', properties: { file: { type: 'string' } } };
    const bot = await deployTiny(host, { name: 'printer', bot: PRINTER, schema }, { config: { file } });
    const last = await lineUntil(host, bot.bot_id, 'ready');
    const say = (): void => writeFileSync(file, '');
    const page = await openDashboard(host, onTestFinished, { path: `/bots/${bot.bot_id}/logs` });

    // At the end, live.
    await line(page, 'ready').waitFor();
    await line(page, 'login with').getByText('masked').waitFor();
    say();
    await line(page, 'fresh 3').waitFor();

    // Scrolled up it stays where it is and counts.
    await lines(page).hover();
    await page.mouse.wheel(0, -3000);
    await page.getByRole('button', { name: 'Follow' }).waitFor();
    say();
    await page.getByRole('button', { name: '3 new lines' }).click();
    await line(page, 'fresh 6').waitFor();
    await page.getByRole('button', { name: 'Following' }).waitFor();

    // The first line of all, by the keyboard; then back.
    await lines(page).press('Home');
    await line(page, 'Deployed').waitFor();
    await line(page, 'Run started').getByText('by the deploy').waitFor();
    await lines(page).press('ArrowDown');
    await lines(page).press('End');
    await line(page, 'fresh 6').waitFor();

    // Few of the lines exist in the page.
    expect(await lines(page).getByRole('listitem').count()).toBeLessThan(120);

    // Search over everything; from the newest hit up.
    const search = page.getByRole('textbox', { name: 'Search the whole log' });
    await search.fill('order refused');
    await page.getByText('8', { exact: true }).waitFor();
    await search.press('Enter');
    await page.getByText('8 of 8').waitFor();
    await search.press('Enter');
    await page.getByText('7 of 8').waitFor();
    await line(page, '"id":3500').waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await until('only hits to be shown', async () => (await line(page, 'order refused').count()) === 8);
    await until('nothing else to be shown', async () => (await line(page, 'tick').count()) === 0);

    // An error with its JSON opened.
    await line(page, '"id":500').click();
    await lines(page).getByText('"cash": 10').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByRole('button', { name: 'Errors' }).click();
    await until('errors only', async () => (await line(page, 'tick').count()) === 0);
    await page.getByRole('button', { name: 'stderr' }).click();
    await page.getByText('No line matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await line(page, 'fresh 6').waitFor();

    // The filtered lines as a file.
    await page.getByRole('button', { name: 'Warnings' }).click();
    await until('warnings only', async () => (await line(page, 'fresh').count()) === 0);
    await page.getByRole('button', { name: 'Download' }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('group', { name: 'What the filter matches' })
        .getByRole('menuitem', { name: 'As JSON lines' })
        .click(),
    ]);
    const text = readFileSync(await saved.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect([text.length, JSON.parse(text[0] ?? '').message]).toEqual([40, '\u001b[33mWARN\u001b[0m slow 100']);

    // A link to a line opens there, and at no other.
    await page.getByRole('group', { name: 'Level' }).getByRole('button', { name: 'All' }).click();
    await line(page, 'ready').hover();
    await line(page, 'ready').getByRole('button', { name: 'Copy link to this line' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(`${host.url}/bots/${bot.bot_id}/logs?line=${last.seq}`);
    await page.goto(copied.replace(String(last.seq), '1234'));
    const linked = line(page, 'tick 1232').or(line(page, 'tick 1233')).or(line(page, 'tick 1234'));
    await linked.and(page.locator('[aria-current=true]')).waitFor();
    await page.getByRole('button', { name: 'Follow' }).waitFor();
  });

  it('is for everybody: light, narrow, without a mouse', async ({ onTestFinished }) => {
    const bot = await deployTiny(host, { name: 'greeter', bot: "console.log('hello'); setInterval(() => {}, 1e6);" });
    const path = `/bots/${bot.bot_id}/logs`;
    const viewport = { width: 380, height: 700 };
    const page = await openDashboard(host, onTestFinished, { path, colorScheme: 'light', viewport });
    await line(page, 'hello').waitFor();
    expect(await violations(page)).toEqual([]);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByRole('menuitemradio', { name: 'How long ago' }).click();
    await lines(page)
      .getByText(/ago$|just now/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'All times' }).click();
    await page.getByRole('dialog', { name: 'Time' }).waitFor();
    await page.getByRole('button', { name: '15 min' }).click();
    await page.getByRole('button', { name: 'since' }).waitFor();
    await line(page, 'hello').waitFor();
    await lines(page).press('/');
    await page.keyboard.type('hello');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await lines(page).press('Enter');
    await lines(page).getByText('Arrived').waitFor();
  });
});
