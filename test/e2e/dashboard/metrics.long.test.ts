import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedDashboard } from '../../support/browser.ts';
import { TestHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { deployTiny, lineUntil } from '../../support/tiny-bot.ts';

/** Emits the metrics that a file in its folder holds, whenever one appears there. */
const SOURCE = `
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { parse, log } from '@bot-platform/sdk';
const { config } = parse();
const file = config.folder + '/emit';
log('up');
setInterval(() => {
  if (!existsSync(file)) return;
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  process.stdout.write(text);
}, 20);
`;
const SCHEMA = { type: 'object', properties: { folder: { type: 'string' } }, required: ['folder'] };
const MINUTE = 60_000;

// One host for all tests of this file: each has a bot of its own.
const host = new TestHost();
beforeAll(async () => void (await host.start()));
afterAll(() => host.stop());
const dashboard = sharedDashboard(host);

type Metric = Readonly<Record<string, unknown>> & { readonly _metric: string };

async function deployEmitter(name: string) {
  const folder = tempDir('emitter-');
  const bot = await deployTiny(host, { name, bot: SOURCE, schema: SCHEMA }, { config: { folder } });
  await lineUntil(host, bot.bot_id, 'up');
  const emit = (metrics: readonly Metric[]): void => {
    writeFileSync(join(folder, 'next'), metrics.map((one) => `${JSON.stringify(one)}\n`).join(''));
    // In one step, so that the bot never sees half of it.
    renameSync(join(folder, 'next'), join(folder, 'emit'));
  };
  return { id: bot.bot_id, emit };
}

/** Two hours of prices with an average over them and one signal, and an account, up to `end`. */
function history(end: number): Metric[] {
  const minutes = Array.from({ length: 120 }, (_, i) => ({ i, timestamp: end - (119 - i) * MINUTE }));
  return [
    ...minutes.flatMap(({ i, timestamp }) => [
      { _metric: 'price', symbol: 'AAPL', value: 170 + (i % 10), timestamp },
      { _metric: 'sma', symbol: 'AAPL', short_sma: 171 + (i % 10), short_period: 5, timestamp },
      { _metric: 'account', equity: 10_000 + i, timestamp },
    ]),
    {
      _metric: 'signal',
      type: 'BUY',
      symbol: 'AAPL',
      price: 175,
      confidence: 0.72,
      reason: 'SMA(5) crossed above SMA(20)',
      timestamp: end - 30 * MINUTE,
    },
    { _metric: 'mode', state: 'hunting', timestamp: end },
  ];
}

/** A trade of a paper account, as a row of the ledger. */
const fill = (side: 'BUY' | 'SELL', timestamp: number): Metric => ({
  ...{ _metric: 'fill', fill_id: `f-${side}`, symbol: 'AAPL', side, quantity: '2', price: '174', currency: 'USD' },
  timestamp,
});

async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = await page.locator('figure .u-over').first().boundingBox();
  if (box === null) throw new Error('there is no plot');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, y, { steps: 5 });
  await page.mouse.up();
}

/** Moves down through the plot where a time lies, until a marker tells of itself. */
async function findMarker(page: Page, share: number): Promise<string> {
  const box = await page.locator('figure .u-over').first().boundingBox();
  if (box === null) throw new Error('there is no plot');
  const tip = page.locator('figure').first().getByText('confident');
  for (let y = 4; y < box.height; y += 8) {
    await page.mouse.move(box.x + box.width * share, box.y + y);
    if ((await tip.count()) > 0) return tip.locator('xpath=../..').innerText();
  }
  throw new Error('no marker was found');
}

async function savedBy(page: Page, button: string): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFileSync(await download.path());
}

it('charts appear with the first sample, follow live, zoom to finer points, and say the same in words, tables and files', async ({
  onTestFinished,
}) => {
  const { id, emit } = await deployEmitter('walked');
  const page = await dashboard(onTestFinished, { path: `/bots/${id}/metrics` });
  await page.getByText('This bot has not measured anything yet').waitFor();

  const end = Date.now();
  emit(history(end));
  const chart = page.getByRole('figure', { name: 'AAPL', exact: true });
  const account = page.getByRole('figure', { name: 'account equity' });
  const values = page.getByRole('region', { name: 'Newest values' });
  await chart.getByRole('button', { name: 'price 179' }).waitFor();
  await chart.getByRole('button', { name: 'short_sma 180' }).waitFor();
  await values.getByText('10,119').waitFor();
  await page.getByText('Not drawn, because nothing moved: AAPL sma short_period').waitFor();
  await page.getByRole('cell', { name: '{"state":"hunting"}' }).waitFor();
  await page.getByRole('cell', { name: 'SMA(5) crossed above SMA(20)' }).waitFor();
  await chart.getByText('1 BUY and 0 SELL signals').waitFor({ state: 'attached' });

  emit([{ _metric: 'price', symbol: 'AAPL', value: 184.25 }]);
  await chart.getByRole('button', { name: 'price 184.25' }).waitFor();
  await values.getByText('184.25').waitFor();

  // What the ledger booked: a position from its entry to its exit.
  emit([fill('BUY', end - 30 * MINUTE)]);
  await chart.getByText(/1 fill\. 1 position held, long since/).waitFor({ state: 'attached' });
  emit([fill('SELL', end - 10 * MINUTE)]);
  await chart.getByText('2 fills. 1 position held.').waitFor({ state: 'attached' });

  // Another series over it, which stays for the next time.
  await chart.getByRole('button', { name: 'Overlay another series on AAPL' }).click();
  const laying = page.getByRole('dialog', { name: 'Overlay on AAPL' });
  await laying.getByLabel('Series').selectOption({ label: 'account equity' });
  await laying.getByRole('button', { name: 'Overlay', exact: true }).click();
  await chart.getByRole('button', { name: 'account equity (right) 10,119' }).waitFor();
  await page.reload();
  await chart.getByRole('button', { name: 'account equity (right) 10,119' }).waitFor();
  await chart.getByRole('button', { name: 'Take the overlay off AAPL' }).click();
  await chart.getByRole('button', { name: /account equity/ }).waitFor({ state: 'detached' });

  // The crosshair by keyboard, and in the other chart as well.
  const slider = page.getByRole('slider', { name: 'Time in AAPL', exact: true });
  await slider.focus();
  await slider.press('Home');
  const pointed = (await slider.getAttribute('aria-valuetext'))?.slice(0, 19) ?? '';
  await account.getByText(pointed).first().waitFor();
  await slider.press('+');
  await page.getByRole('button', { name: 'Reset zoom' }).waitFor();
  await slider.press('Escape');
  await expect.poll(() => new URL(page.url()).search).toBe('');

  await page.getByRole('button', { name: 'All', exact: true }).click();
  await chart.getByText('121 samples').waitFor({ state: 'attached' });
  await drag(page, 0.25, 0.5);
  await page.getByRole('button', { name: 'Reset zoom' }).waitFor();
  expect(page.url()).toMatch(/range=all.*from=.*to=/);
  await page.getByRole('button', { name: 'Reset zoom' }).click();
  await chart.getByText('121 samples').waitFor({ state: 'attached' });

  // The wheel scrolls the page unless Ctrl is held; dragging with Shift pans.
  const over = page.locator('figure .u-over').first();
  await over.hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -400);
  await page.keyboard.up('Control');
  await page.getByRole('button', { name: 'Reset zoom' }).waitFor();
  const stretch = (): [number, number] => {
    const { searchParams } = new URL(page.url());
    return [Date.parse(searchParams.get('from') ?? ''), Date.parse(searchParams.get('to') ?? '')];
  };
  const [zoomFrom, zoomTo] = stretch();
  expect(zoomTo - zoomFrom).toBeLessThan(100 * MINUTE);
  await page.keyboard.down('Shift');
  await drag(page, 0.5, 0.75);
  await page.keyboard.up('Shift');
  await expect.poll(() => stretch()[0]).toBeLessThan(zoomFrom - MINUTE);
  const [panFrom, panTo] = stretch();
  expect(Math.abs(panTo - panFrom - (zoomTo - zoomFrom))).toBeLessThanOrEqual(2);
  await page.getByRole('button', { name: 'Reset zoom' }).click();

  await page.getByRole('button', { name: 'Custom' }).click();
  const range = page.getByRole('form', { name: 'Custom range' });
  await range.getByLabel(/^From/).fill('2026-01-02T03:04:05');
  await range.getByLabel(/^To/).fill('2026-01-01T00:00:00');
  await range.getByRole('button', { name: 'Show' }).click();
  await range.getByText('The end must be after the beginning.').waitFor();
  await range.getByLabel(/^To/).fill('2026-01-03T00:00:00');
  await range.getByRole('button', { name: 'Show' }).click();
  await page.getByText('No samples in this time').first().waitFor();
  await page.getByRole('button', { name: 'Reset zoom' }).click();
  await page.getByRole('button', { name: 'Custom' }).click();

  // As candles, full screen, and another chart above it.
  await chart.getByRole('button', { name: 'Draw AAPL as candles' }).click();
  await chart.getByText(/^[15] min candles$/).waitFor();
  await chart.getByRole('button', { name: 'Show AAPL full screen' }).click();
  await chart.getByRole('button', { name: 'Leave full screen' }).click();
  await chart.getByRole('button', { name: 'Show AAPL full screen' }).click();
  await chart.getByRole('button', { name: 'Tell me when… (AAPL)' }).click();
  const rule = page.getByRole('dialog', { name: 'Tell me when…' });
  await rule.waitFor();
  // It would lie behind a chart that still fills the screen.
  expect(await page.evaluate(() => document.fullscreenElement)).toBeNull();
  await rule.getByRole('button', { name: 'Cancel' }).click();
  await chart.getByRole('button', { name: 'Draw AAPL as candles' }).click();
  const titles = () => page.locator('figure h2').allInnerTexts();
  expect((await titles())[0]).toBe('AAPL');
  await page.getByRole('button', { name: 'Pin account equity to the top' }).click();
  await expect.poll(async () => (await titles())[0]).toBe('account equity');
  await page.reload();
  await page.getByRole('button', { name: 'Unpin account equity' }).click();
  await expect.poll(async () => (await titles())[0]).toBe('AAPL');

  const csv = (await savedBy(page, 'Download AAPL as CSV')).toString();
  expect(csv.split('\r\n').slice(0, 2)).toEqual([
    'time,price,short_sma',
    `${new Date(end - 119 * MINUTE).toISOString()},170,171`,
  ]);
  expect((await savedBy(page, 'Download AAPL as picture')).subarray(1, 4).toString()).toBe('PNG');

  await page.getByRole('button', { name: 'Table' }).click();
  const table = page.getByRole('region', { name: 'Values of AAPL', exact: true });
  await table.getByRole('cell', { name: '184.25' }).waitFor();
  await page.getByRole('button', { name: 'Older rows' }).first().click();

  const [from, to] = [end - 40 * MINUTE, end - 20 * MINUTE].map((ms) => new Date(ms).toISOString());
  await page.goto(`${host.url}/bots/${id}/metrics?from=${from}&to=${to}`);
  await chart.getByRole('button', { name: /^price/ }).waitFor();
  await chart.locator('canvas').waitFor({ state: 'attached' });
  expect(await findMarker(page, 0.5)).toMatch(/BUY.*175.*72 % confident.*SMA\(5\) crossed above SMA\(20\)/s);

  // The fleet shows it at the least width of a desktop.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(host.url);
  await page.getByRole('cell', { name: 'AAPL price 184.25' }).waitFor();
});

it('is read by everybody, in a narrow window', async ({ onTestFinished }) => {
  const { id, emit } = await deployEmitter('narrow');
  emit(history(Date.now()));
  // In a wide one, and in the dark theme, places.test.ts judges it.
  const page = await dashboard(onTestFinished, { path: `/bots/${id}/metrics`, colorScheme: 'light' });
  await page.setViewportSize({ width: 380, height: 800 });
  await page.locator('figure canvas').first().waitFor();
  const light = await new AxeBuilder({ page }).analyze();
  expect(light.violations).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);

  await page.getByRole('button', { name: 'Table' }).click();
  await page.getByRole('region', { name: 'Values of AAPL', exact: true }).waitFor();
  const table = await new AxeBuilder({ page }).include('main').analyze();
  expect(table.violations).toEqual([]);
});
