import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFixed } from '../../support/browser.ts';
import { Keyboard } from '../../support/dashboard/keyboard.ts';
import { TestHost } from '../../support/platform.ts';

/** One bot beside the table of the fleet; on a phone, the menu of its row. */
const host = new TestHost();
beforeAll(async () => void (await host.start()), 60_000);
afterAll(() => host.stop());

const row = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name });
const nameIn = (page: Page, name: string): Locator => page.getByRole('table').getByRole('link', { name, exact: true });
const panel = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const shownIn = (page: Page): Promise<string | null> =>
  page.evaluate("new URLSearchParams(location.search).get('bot')");

/** Where the rows and the parts of the panel are: they stay when another bot is shown. */
const PLACES = `JSON.stringify([...document.querySelectorAll('main tbody tr[data-row], main section h3')].map((one) => {
  const { top, left } = one.getBoundingClientRect();
  return [one.dataset.row ?? one.textContent, Math.round(top), Math.round(left)];
}))`;

async function fleet(onTestFinished: Parameters<typeof openFixed>[0], path = '/') {
  const { page, fixed } = await openFixed(onTestFinished);
  await page.goto(`${host.url}${path}`);
  await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  return { page, fixed };
}

describe('the panel beside the table', () => {
  it('is opened by a click, follows the arrows, is left by Escape, and leads to the page by Enter', async ({
    onTestFinished,
  }) => {
    const { page } = await fleet(onTestFinished);
    const tops = async (): Promise<string> =>
      page.evaluate(
        "[...document.querySelectorAll('tr[data-row]')].map((one) => one.getBoundingClientRect().top).join()",
      );
    await row(page, 'Grid ETH').waitFor();
    const before = await tops();
    await row(page, 'Grid ETH').getByText('Crash-looping').first().click();
    const broken = panel(page, 'Grid ETH');
    await broken.getByText('Go back to the version that worked').waitFor();
    await broken.getByText('1 of the last 2 runs failed').waitFor();
    await broken.getByText('ETHUSDT').waitFor();
    expect(await tops()).toBe(before);
    await expect.poll(() => shownIn(page)).toBe('bot_broken');
    // The keyboard goes on from the row that was clicked.
    await page.keyboard.press('ArrowUp');
    await panel(page, 'Momentum').getByText('The config does not fit version 0.1.0').waitFor();
    expect(await nameIn(page, 'Momentum').getAttribute('aria-current')).toBe('true');
    expect(await nameIn(page, 'Momentum').evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('ArrowDown');
    await broken.waitFor();
    await page.keyboard.press('Escape');
    await broken.waitFor({ state: 'detached' });
    await expect.poll(() => shownIn(page)).toBe(null);
    expect(await nameIn(page, 'Grid ETH').evaluate((one) => one === document.activeElement)).toBe(true);
    // From here Enter leads to the page, and the way back to the same bot.
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Momentum' }).waitFor();
    await page.goBack();
    await panel(page, 'Momentum').waitFor();
  });

  it('is in the address, also of a row that is far below', async ({ onTestFinished }) => {
    const { page, fixed } = await openFixed(onTestFinished);
    fixed.world = 'many';
    await page.goto(`${host.url}/?bot=bot_many987`);
    await panel(page, 'Trader 987').waitFor();
    await nameIn(page, 'Trader 987').waitFor();
    await page.reload();
    await panel(page, 'Trader 987').waitFor();
    // One that is not there, or no longer, opens nothing.
    await page.goto(`${host.url}/?bot=bot_nobody`);
    await nameIn(page, 'Trader 1').waitFor();
    expect(await page.getByRole('button', { name: 'Close panel' }).count()).toBe(0);
  });

  it('moves nothing when another bot takes its place', async ({ onTestFinished }) => {
    const { page } = await fleet(onTestFinished, '/?bot=bot_well');
    const well = panel(page, 'SMA crossover AAPL');
    await well.getByText('its only run has not failed').waitFor();
    await nameIn(page, 'SMA crossover AAPL').focus();
    await page.keyboard.press('ArrowDown');
    const name = await page.locator('[data-name][aria-current]').innerText();
    await panel(page, name).waitFor();
    const early = await page.evaluate<string>(PLACES);
    await panel(page, name).getByText(/run/).first().waitFor();
    await panel(page, name)
      .getByRole('list', { name: /^The last|^Newest/ })
      .or(panel(page, name).getByText('It has written nothing yet.'))
      .first()
      .waitFor();
    expect(await page.evaluate<string>(PLACES)).toBe(early);
  });

  it('reads no bot that keys only pass by, and draws few of a thousand rows', async ({ onTestFinished }) => {
    const { page, fixed } = await openFixed(onTestFinished);
    fixed.world = 'many';
    await page.goto(`${host.url}/?bot=bot_many1`);
    await panel(page, 'Trader 1').getByText('It has not run yet.').waitFor();
    await nameIn(page, 'Trader 1').focus();
    const before = fixed.asked.filter((one) => one === 'runs.list').length;
    let [most, changes] = [0, 0];
    page.on('framenavigated', () => {
      changes += 1;
    });
    const begun = performance.now();
    for (let step = 0; step < 150; step += 1) {
      await page.keyboard.press('ArrowDown');
      most = Math.max(most, await page.locator('tr[data-row]').count());
    }
    const each = (performance.now() - begun) / 150;
    await panel(page, 'Trader 151').getByText('It has not run yet.').waitFor();
    await expect.poll(() => shownIn(page)).toBe('bot_many151');
    expect(await nameIn(page, 'Trader 151').evaluate((one) => one === document.activeElement)).toBe(true);
    expect(most).toBeLessThan(60);
    // A busy machine may let the keys rest now and then.
    expect(fixed.asked.filter((one) => one === 'runs.list').length - before).toBeLessThan(30);
    expect(changes).toBeLessThan(30);
    expect(each).toBeLessThan(250);
    expect(fixed.problems).toEqual([]);
  });
});

it('gives way on a phone to a menu with the same actions, for thumbs and for keys', async ({ onTestFinished }) => {
  const { page } = await fleet(onTestFinished, '/?bot=bot_broken');
  const actions = async (): Promise<string[]> => {
    const labels = await panel(page, 'Grid ETH').locator('header').getByRole('button').allInnerTexts();
    await panel(page, 'Grid ETH').getByRole('button', { name: 'More actions for Grid ETH' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate…' }).waitFor();
    const more = await page.getByRole('menuitem').allInnerTexts();
    await page.keyboard.press('Escape');
    return [...labels.filter(Boolean), ...more];
  };
  await panel(page, 'Grid ETH').waitFor();
  const wide = await actions();
  expect(wide).toEqual(['Stop', 'Restart', 'Logs', 'Ledger', 'Settings', 'Duplicate…']);
  await page.setViewportSize({ width: 390, height: 844 });
  await panel(page, 'Grid ETH').waitFor({ state: 'detached' });
  const trigger = page.getByRole('button', { name: 'Actions for Grid ETH' });
  const box = await trigger.boundingBox();
  expect([(box?.width ?? 0) >= 44, (box?.height ?? 0) >= 44, (box?.x ?? 0) + (box?.width ?? 0) <= 390]).toEqual([
    true,
    true,
    true,
  ]);
  await trigger.click();
  await page.getByRole('menuitem', { name: 'Duplicate…' }).waitFor();
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(wide);
  await page.keyboard.press('Escape');
  await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
  // The same by keys: the row, then its menu.
  const keyboard = new Keyboard(page);
  await nameIn(page, 'Grid ETH').focus();
  await keyboard.press(trigger);
  await keyboard.to(page.getByRole('menuitem', { name: 'Logs' }), 'ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/bots\/bot_broken\/logs/);
  // Anywhere else a row leads to its page: the link of its name lies over it.
  await page.goBack();
  await row(page, 'Grid ETH').getByText('Crash-looping').filter({ visible: true }).click({ force: true });
  await page.waitForURL(/\/bots\/bot_broken$/);
});
