import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { testHost } from '../../support/platform.ts';
import { everyVariant } from '../../support/proof.ts';

/**
 * Reloads the page, dropping the named resource in that many loads. Returns what has become of each load so far: Chromium
 * drops parts, too, when another test adds or removes a network.
 */
async function reloadDropping(page: Page, what: RegExp, times: number): Promise<() => readonly Load[]> {
  const loads: Load[] = [];
  await page.unrouteAll();
  page.on('requestfailed', (request) => {
    // A page that is left gives up what it was loading.
    const isDropped = request.failure()?.errorText !== 'net::ERR_ABORTED' && !request.isNavigationRequest();
    if (isDropped && loads.length > 0) loads[loads.length - 1] = 'dropped';
  });
  await page.route('**', (route) => {
    const request = route.request();
    if (request.isNavigationRequest()) loads.push('whole');
    return what.test(request.url()) && loads.length <= times ? route.abort() : route.continue();
  });
  await page.reload();
  return () => loads;
}

type Load = 'dropped' | 'whole';

/** Expects that the page reloaded after each load that lost a part, and after no other one. */
function expectReloads(loads: readonly Load[]): void {
  expect(loads.length).toBeGreaterThan(1);
  expect(loads.slice(0, -1)).not.toContain('whole');
}

const isDrawn = (page: Page): Promise<void> => page.getByRole('navigation', { name: 'Pages' }).waitFor();

it('loads itself anew where the browser dropped a part of it', async ({ onTestFinished }) => {
  const page = await openDashboard(await testHost(onTestFinished), onTestFinished, { expected: [/net::ERR_FAILED/] });
  const withoutScript = await reloadDropping(page, /react-dom.*\.js$/, 1);
  await isDrawn(page);
  expectReloads(withoutScript());

  const withoutLooks = await reloadDropping(page, /index.*\.css$/, 1);
  await expect.poll(() => withoutLooks().length, { timeout: 20_000 }).toBeGreaterThan(1);
  await isDrawn(page);
  expectReloads(withoutLooks());
});

/** The page's own count of its reloads; null once it has stopped. */
const tries = (page: Page): Promise<unknown> => page.evaluate("sessionStorage.getItem('platform-load-tries')");

it('stays as it is where a part of an extension is refused, and where its looks never come', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const page = await openDashboard(host, onTestFinished, { expected: [/net::ERR_FAILED/, /style-src/] });
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.body === null) return;
      observer.disconnect();
      const link = document.createElement('link');
      Object.assign(link, { rel: 'stylesheet', href: 'https://extension.example/theme.css' });
      document.head.append(link);
    }).observe(document, { childList: true, subtree: true });
  });
  // A load of which nothing was dropped forgets them.
  await page.evaluate("sessionStorage.setItem('platform-load-tries', '1')");
  const loads = await reloadDropping(page, /extension/, 0);
  await expect.poll(() => tries(page)).toBe(null);
  expect(loads().slice(0, -1)).not.toContain('whole');
  await isDrawn(page);

  await page.evaluate("sessionStorage.setItem('platform-load-tries', '5')");
  const bare = await reloadDropping(page, /index.*\.css$/, Number.POSITIVE_INFINITY);
  await expect.poll(() => tries(page)).toBe(null);
  expect(bare()).toHaveLength(1);
  await isDrawn(page);
});

it.runIf(everyVariant)('is not loaded for good where a part of it never comes', async ({ onTestFinished }) => {
  const page = await openDashboard(await testHost(onTestFinished), onTestFinished, { expected: [/net::ERR_FAILED/] });
  const never = await reloadDropping(page, /react-dom.*\.js$/, Number.POSITIVE_INFINITY);
  await page.getByText('Reload the page to try again.').waitFor();
  expect(never().length).toBeGreaterThan(3);
  await page.unrouteAll();
  await page.reload();
  await isDrawn(page);
});

it('gives a place its looks where the browser dropped those of that part alone', async ({ onTestFinished }) => {
  const page = await openDashboard(await testHost(onTestFinished), onTestFinished, { expected: [/net::ERR_FAILED/] });
  let asked = 0;
  await page.route(/assets\/connect-.*\.css$/, (route) => {
    asked += 1;
    return asked === 1 ? route.abort() : route.continue();
  });
  await page.getByRole('link', { name: 'Connect an assistant' }).first().click();
  await page.getByRole('heading', { name: 'Connect an assistant' }).waitFor();
  // The rules of a sheet that was dropped are unreadable.
  const rules = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet][href*="/connect-"]')].map(({ sheet }) => {
        try {
          return sheet?.cssRules.length ?? 0;
        } catch {
          return 0;
        }
      }),
    );
  await expect.poll(rules).toEqual([expect.toSatisfy((count: number) => count > 0)]);
  // On a busy machine the page may ask once more before the sheet is there.
  expect([2, 3]).toContain(asked);
});
