import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeEach, type TestContext } from 'vitest';
import { NOW } from './dashboard/fixed-bots.ts';
import { type FixedHost, fixedHost } from './dashboard/fixed-host.ts';
import type { TestHost } from './platform.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of the tests: the one that is named, or one that the system has; null without any. */
export const CHROMIUM: string | null =
  process.env.PLATFORM_TEST_CHROMIUM ?? PLACES.find((path) => existsSync(path)) ?? null;

/** Longest that a page is waited for: as `until` does. */
const PATIENCE_MS = 90_000;
const WITHOUT =
  'There is no Chromium here: `node scripts/test-deps.mjs` installs it on Debian as root; PLATFORM_TEST_CHROMIUM names another.';

// Every importer of this module needs a browser for all its tests.
beforeEach((context) => {
  if (CHROMIUM === null) context.skip(WITHOUT);
});

// Graphics keep a process of their own: in the browser's process, a crash of theirs at its start ended the browser.
export const SAFE = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
];
/** Letters and colours do not depend on the settings of the machine. */
const ALIKE = ['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb'];

/**
 * The browser's own windows for suggestions below the address bar: a page each, made for every window that is opened, which
 * cost as much as half of what our tests do in a browser. The others are what Playwright turns off; the last list counts.
 */
const WITHOUT_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  // A process beside each page, for a next one that most pages never have.
  'SpareRendererForSitePerProcess',
  'ThirdPartyStoragePartitioning',
];

const VIEWPORT = { width: 1280, height: 800 } as const;

let started: Promise<Browser> | undefined;

/** One browser for a test file: its start takes longer than most tests. */
export function browser(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error(WITHOUT);
  started ??= chromium.launch({
    executablePath: CHROMIUM,
    // Nothing but the host is asked; tests often run as root, where Chromium has no sandbox of its own.
    args: [...SAFE, ...ALIKE, `--disable-features=${WITHOUT_FEATURES.join(',')}`],
  });
  return started;
}

afterAll(async () => {
  await (await started)?.close();
});

export interface DashboardOptions {
  /** Where to begin; default: the fleet. */
  readonly path?: string;
  readonly colorScheme?: 'dark' | 'light';
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Where its user is; default: as the machine is set. */
  readonly timezoneId?: string;
  /** Errors in the console that the test provokes, such as those of a host that it stops. */
  readonly expected?: readonly RegExp[];
}

/** A page in its own context, and its errors. */
interface Opened {
  readonly page: Page;
  readonly errors: string[];
}

type Host = Pick<TestHost, 'url' | 'fetch'>;

async function enter(host: Host, options: DashboardOptions): Promise<Opened> {
  const { path = '/', colorScheme = 'dark', viewport = VIEWPORT, timezoneId } = options;
  const place = timezoneId === undefined ? {} : { timezoneId };
  const context = await (await browser()).newContext({ viewport, colorScheme, reducedMotion: 'reduce', ...place });
  context.setDefaultTimeout(PATIENCE_MS);
  const errors: string[] = [];
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: host.url });
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(`${error.name}: ${error.message}`));
  // What the policy of the page refuses is said here too.
  page.on('console', (message) => {
    // The page asks for its session before the log-in: the refusal is no error.
    const isQuestion = new URL(message.location().url || host.url).pathname === '/api/v1/auth';
    // Chromium drops loads whenever a container of any test starts or ends; the page's handling of that is tested
    // elsewhere.
    const isNetwork = message.text().includes('net::ERR_NETWORK_CHANGED');
    if (message.type() !== 'error' || isNetwork || (isQuestion && message.text().includes('401'))) return;
    errors.push(message.text());
  });
  const answer = await host.fetch('/api/v1/auth/link', { method: 'POST', body: '{}' });
  const { url }: { url: string } = JSON.parse(await answer.text());
  const address = new URL(path, host.url);
  const wanted = address.hash;
  address.hash = new URL(url).hash;
  await page.goto(address.href);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  if (wanted !== '') await page.goto(new URL(path, host.url).href);
  return { page, errors };
}

/** Fails when a page has said anything that was not to be expected. */
function judge(errors: readonly string[], expected: readonly RegExp[] = []): void {
  const wrong = errors.filter((text) => !expected.some((one) => one.test(text)));
  if (wrong.length > 0) throw new Error(`The dashboard said:\n  ${wrong.join('\n  ')}`);
}

/**
 * Opens the dashboard of a host, logged in as the caller, by default its local owner. The page closes with the test,
 * which fails on any exception, console error or violation of the page's policy.
 */
export async function openDashboard(
  host: Host,
  onTestFinished: TestContext['onTestFinished'],
  options: DashboardOptions = {},
): Promise<Page> {
  const opened = enter(host, options);
  onTestFinished(async () => {
    // One that did not open has failed the test already.
    const found = await opened.catch(() => null);
    await found?.page.context().close();
    judge(found?.errors ?? [], options.expected);
  });
  return (await opened).page;
}

/** What differs from test to test on a page that they share. */
export type SharedOptions = Pick<DashboardOptions, 'path' | 'colorScheme'>;

/**
 * One page with the dashboard of a host for the tests of a file, reloaded for each: a new context and log-in would cost
 * three times as much. For tests that stay logged in; after a failed test the next one gets a new page.
 */
export function sharedDashboard(
  host: Host,
): (onTestFinished: TestContext['onTestFinished'], options?: SharedOptions) => Promise<Page> {
  let shared: Opened | undefined;
  return async (onTestFinished, { path = '/', colorScheme = 'dark' } = {}) => {
    const known = shared;
    const opened = known ?? (await enter(host, { path, colorScheme }));
    shared = opened;
    const { page, errors } = opened;
    onTestFinished(async ({ task }) => {
      const said = errors.splice(0);
      if (task.result?.state === 'fail' || said.length > 0) {
        shared = undefined;
        await page.context().close();
      }
      judge(said);
    });
    if (known === undefined) return page;
    await page.evaluate('localStorage.clear(), sessionStorage.clear()');
    await page.setViewportSize(VIEWPORT);
    await page.emulateMedia({ colorScheme });
    await page.goto(new URL(path, host.url).href);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    return page;
  };
}

/** How the page of a fixed host is looked at, where that matters. */
export interface FixedOptions {
  /** Pixels of the screen for one of the page: 2 where somebody has zoomed to 200 %. */
  readonly deviceScaleFactor?: number;
  readonly reducedMotion?: 'reduce' | 'no-preference';
}

/**
 * Opens a page before which a fixed host stands, at a time that stands still, so that every picture of it is the same. The
 * page is closed when the test ends; the test fails when anything was thrown in it.
 */
export async function openFixed(
  onTestFinished: TestContext['onTestFinished'],
  { deviceScaleFactor = 1, reducedMotion = 'reduce' }: FixedOptions = {},
): Promise<{ readonly page: Page; readonly fixed: FixedHost }> {
  const context = await (await browser()).newContext({
    ...{ viewport: VIEWPORT, deviceScaleFactor, reducedMotion },
    colorScheme: 'dark',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const errors: string[] = [];
  onTestFinished(async () => {
    await context.close();
    if (errors.length > 0) throw new Error(`The dashboard said:\n  ${errors.join('\n  ')}`);
  });
  const fixed = await fixedHost(context);
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(`${error.name}: ${error.message}`));
  await page.clock.setFixedTime(NOW);
  return { page, fixed };
}
