import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { Keyboard } from '../../support/dashboard/keyboard.ts';
import { testHost } from '../../support/platform.ts';
import { botUntil, deployTiny, getBot } from '../../support/tiny-bot.ts';

const PATIENT = { timeout: 30_000 };
const write = (row: object): string => `console.log(${JSON.stringify(JSON.stringify(row))});`;
const fill = (fill_id: string, side: string, quantity: string, price: string): string =>
  write({ _metric: 'fill', fill_id, symbol: 'AAPL', side, quantity, price, currency: 'USD' });
/** It bought three, sold two with a profit, and holds one. */
const TRADES = [
  fill('a', 'BUY', '3', '100'),
  fill('b', 'SELL', '2', '112.5'),
  write({ _metric: 'price', symbol: 'AAPL', value: '110', currency: 'USD' }),
  write({ _metric: 'equity', value: '10025', currency: 'USD' }),
  'setInterval(() => {}, 60_000);',
].join('\n');
const IDLE = 'setInterval(() => {}, 60_000);';

it('leads a trader by keys alone from the line of the fleet to what was earned, and to the stop', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const { bot_id } = await deployTiny(host, { name: 'trades', bot: TRADES });
  const { bot_id: broken } = await deployTiny(host, { name: 'broken', bot: 'throw new Error("no key")' });
  await deployTiny(host, { name: 'waits', bot: IDLE });
  await botUntil(host, broken, 'a crash loop', ({ health }) => health.state === 'crash_looping');
  const page = await openDashboard(host, onTestFinished);
  const keyboard = new Keyboard(page);
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const link = (name: string): Locator => page.getByRole('table').getByRole('link', { name, exact: true });
  const panel = (name: string): Locator => page.getByRole('region', { name, exact: true });
  /** Goes down or up the table to a bot; its panel follows. */
  const goTo = async (name: string, key: 'ArrowDown' | 'ArrowUp'): Promise<void> => {
    for (let step = 0; step < 4; step += 1) {
      if (await link(name).evaluate((one) => one === document.activeElement)) break;
      await keyboard.keys(key);
    }
    await panel(name).waitFor();
  };

  // What needs me: one key narrows the fleet, the first row is the one that fails.
  await page.getByText('+25.00').first().waitFor(PATIENT);
  await keyboard.press(button('1 needs you'));
  await link('trades').waitFor({ state: 'detached' });
  await keyboard.isKept();
  await keyboard.to(link('broken'));
  await keyboard.keys('Home');
  await panel('broken').getByText('Error: no key').first().waitFor(PATIENT);
  await keyboard.press(panel('broken').getByRole('button', { name: 'Stop' }));
  await botUntil(host, broken, 'its stop', ({ enabled }) => !enabled);
  await keyboard.isKept();
  await keyboard.keys('Escape');
  await button('Close panel').waitFor({ state: 'detached' });
  await keyboard.isKept();

  // What did they earn: the row, beside it, and its page.
  await keyboard.press(page.getByRole('button', { name: /^All/ }));
  await link('trades').waitFor();
  await keyboard.to(page.getByRole('table').getByRole('link').and(page.locator('[tabindex="0"]')));
  await keyboard.keys('Home');
  await goTo('trades', 'ArrowDown');
  await panel('trades').getByText('+25.00').waitFor(PATIENT);
  await panel('trades').getByText('long').waitFor();
  await keyboard.keys('Enter');
  await page.getByRole('heading', { level: 1, name: 'trades' }).waitFor();
  await keyboard.isKept();
  await keyboard.press(
    page.getByRole('navigation', { name: 'Tabs of' }).getByRole('link', { name: 'Ledger', exact: true }),
  );
  await page.getByRole('heading', { name: 'Fills and cash' }).waitFor();
  await keyboard.isKept();

  // All of them together, and nobody else needs to see how much.
  await keyboard.keys('g', 'p');
  await page.getByRole('heading', { level: 1, name: 'Portfolio' }).waitFor();
  await keyboard.isKept();
  await keyboard.press(button('Hide amounts'));
  await button('Show amounts').waitFor();
  await page.getByText('+25.00').first().waitFor({ state: 'detached' });
  await keyboard.press(button('Show amounts'));
  await keyboard.to(page.getByRole('radio', { checked: true }).first());
  await page.getByText('+25.00').first().waitFor();

  // The fleet again: the menu of a row, and what undoes it.
  await keyboard.keys('g', 'f');
  await link('waits').waitFor();
  await keyboard.to(page.getByRole('table').getByRole('link').and(page.locator('[tabindex="0"]')));
  await keyboard.keys('Home');
  await goTo('trades', 'ArrowDown');
  await keyboard.press(button('Actions for trades'));
  await keyboard.to(page.getByRole('menuitem', { name: 'Stop' }), 'ArrowDown');
  await keyboard.keys('Enter');
  await botUntil(host, bot_id, 'its stop', ({ status }) => status === 'stopped');
  await keyboard.isKept();
  await keyboard.press(
    page.getByRole('listitem').filter({ hasText: 'trades stopped' }).getByRole('button', { name: 'Undo' }),
  );
  await botUntil(host, bot_id, 'its start', ({ status }) => status === 'running');

  // And the stop of everything.
  await keyboard.press(page.getByRole('button', { name: 'Panic' }));
  const question = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  await question.getByText('Stop all bots now?').waitFor();
  await keyboard.press(question.getByRole('button', { name: /^Stop/ }));
  await botUntil(host, bot_id, 'the panic', ({ hold }) => hold !== null);
  await keyboard.isKept();
  expect((await getBot(host, broken)).enabled).toBe(false);
});
