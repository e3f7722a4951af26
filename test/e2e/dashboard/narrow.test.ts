import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { TestHost } from '../../support/platform.ts';
import { call } from '../../support/tiny-bot.ts';

const host = new TestHost();
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

/** Cells of a table that lie beside its place or below another cell of their row. */
function hiddenCells(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('main td')].filter((cell) => {
    const box = cell.getBoundingClientRect();
    if (box.left < 0 || box.right > document.documentElement.clientWidth) return true;
    return [...cell.parentElement.children].some((other) => {
      const its = other.getBoundingClientRect();
      return other !== cell && its.left < box.right - 1 && its.right > box.left + 1 && its.top < box.bottom - 1 && its.bottom > box.top + 1;
    });
  }).map((cell) => cell.innerText)`);
}

it('shows all of a key, a user and an engine on a phone, and what can be done with it', async ({ onTestFinished }) => {
  await call(host, 'POST', '/api/v1/keys', { name: 'nightly', scope: 'read', expires_in_days: 30 });
  await call(host, 'POST', '/api/v1/users', { name: 'a-colleague-with-a-name', password: 'a long pass phrase' });
  const page = await openDashboard(host, onTestFinished, {
    path: '/settings/keys',
    viewport: { width: 375, height: 800 },
  });
  await page.getByRole('button', { name: 'Revoke nightly' }).waitFor();
  expect(await hiddenCells(page)).toEqual([]);
  // Screen readers still read the heads, which are shown beside their values.
  await page.getByRole('columnheader', { name: 'Reaches' }).waitFor({ state: 'attached' });
  for (const [place, seen] of [
    ['users', 'Actions for a-colleague-with-a-name'],
    ['engines', null],
  ] as const) {
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: place }).click();
    await (seen === null
      ? page.getByText('Whole tree ended').first()
      : page.getByRole('button', { name: seen })
    ).waitFor();
    expect([place, await hiddenCells(page)]).toEqual([place, []]);
  }
});
