/**
 * The dashboard in a real Chromium under load: a log of millions of lines scrolled, searched and followed; a bot that
 * prints thousands of lines a second; a long metric zoomed and panned; a fleet of many bots. Frames and main-thread
 * tasks are taken from Chromium's own trace; memory from its heap after a collection. Needs Chromium, python3, and a
 * build (`npm run build`); run it on a quiet machine, since a wall time under load says little.
 * Usage: node bench/dashboard.ts [--quick] [--json FILE] [logs=10000000] [live=300] [points=1000000] [bots=1000]; 0 leaves
 * a part out. `live` is in seconds.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { Bench } from './support/bench.ts';
import { launchBrowser } from './support/browser.ts';
import { at } from './support/figures.ts';
import { type StartedHost, startHost } from './support/host.ts';
import { call, deploy, deployOneFile, logPage, printed, publishOneFile } from './support/publish.ts';

const bench = new Bench({
  logs: [10_000_000, 100_000],
  live: [300, 10],
  points: [1_000_000, 60_000],
  bots: [1000, 100],
});
const { sizes } = bench;
const RATE = 10_000;
const LAST = 'all is printed';

/** Prints so many numbered lines at once, then waits. */
const printer = (count: number): string => `
import sys, time
write = sys.stdout.write
for n in range(1, ${count} + 1):
    write(f"order {n} SPY checked against the book, spread {n % 97} of {n % 13} venues\\n" if n % 1000 else f"WARN slow venue {n}\\n")
print("all is printed", flush=True)
time.sleep(1000000)
`;

/** Prints lines at a steady rate; each begins with its time. */
const talker = `
import sys, time
begun, n = time.time(), 0
while True:
    due = int((time.time() - begun) * ${RATE})
    while n < due:
        n += 1
        sys.stdout.write(f"{time.time():.3f} tick {n}\\n")
    sys.stdout.flush()
    time.sleep(0.01)
`;

const sampler = (count: number): string => `
import sys, time
for n in range(${count}):
    sys.stdout.write('{"_metric":"price","symbol":"SPY","value":%.2f}\\n' % (500 + (n * 7919 % 1009) / 50))
print("all is printed", flush=True)
time.sleep(1000000)
`;

async function open(browser: Browser, host: StartedHost, path: string): Promise<Page> {
  const link = (await call(host, 'POST', '/api/v1/auth/link', {})) as { url: string };
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error('the page:', error.message));
  await page.goto(link.url);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.goto(`${host.url}${path}`);
  return page;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** What Chromium did while this went on: frames that were drawn, tasks of the main thread by wall and by processor time. */
async function traced(
  browser: Browser,
  page: Page,
  [row, what]: readonly [row: string, what: string],
  work: () => Promise<void>,
): Promise<void> {
  bench.mark();
  const before = await heapMb(page);
  const categories = [
    'devtools.timeline',
    'disabled-by-default-devtools.timeline',
    'disabled-by-default-devtools.timeline.frame',
    'blink.user_timing',
  ];
  await browser.startTracing(page, { categories });
  // The start of a trace, and the collection before it, are no part of the work.
  await wait(1000);
  await page.evaluate(`
    performance.mark('work');
    window.frames_ = []; let last = performance.now();
    const tick = (now) => { window.frames_.push(now - last); last = now; window.raf_ = requestAnimationFrame(tick); };
    window.raf_ = requestAnimationFrame(tick);
  `);
  await work();
  const frames = await page.evaluate<number[]>('cancelAnimationFrame(window.raf_), window.frames_.slice(1)');
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter((one) => one.name === 'thread_name' && one.args?.name === 'CrRendererMain')
      .map((one) => `${one.pid}:${one.tid}`),
  );
  const begun = traceEvents.findLast((one) => one.name === 'work')?.ts ?? Number.NaN;
  const tasks = traceEvents.filter(
    (one) => one.ph === 'X' && one.ts >= begun && one.name.endsWith('RunTask') && mains.has(`${one.pid}:${one.tid}`),
  );
  const wall = tasks.map((one) => (one.dur ?? 0) / 1000);
  const cpu = tasks.map((one) => (one.tdur ?? 0) / 1000);
  const tooLong = frames.filter((one) => one > 50).length;
  bench.row({
    row: `dashboard-${row}`,
    title: `Dashboard, ${what}: longest frame`,
    unit: 'ms',
    ours: Math.max(...frames),
    bounds: [{ of: 'ours', most: 50 }],
    note:
      `${frames.length} frames, p50 ${ms(at(frames, 0.5))}, p95 ${ms(at(frames, 0.95))}, ${tooLong} over 50 ms; ` +
      `main tasks longest ${ms(Math.max(...wall))} (${ms(Math.max(...cpu))} of processor time); ` +
      `heap ${before.toFixed(1)} to ${(await heapMb(page)).toFixed(1)} MB`,
  });
}

async function forSeconds(seconds: number, step: (n: number) => Promise<void>): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (let n = 0; Date.now() < end; n += 1) {
    await step(n);
    await wait(16);
  }
}

async function benchLogs(browser: Browser, host: StartedHost): Promise<void> {
  const begun = Date.now();
  const id = await deployOneFile(host, { name: 'prints', entry: 'bot.py', source: printer(sizes.logs) });
  await printed(host, id, LAST);
  console.log(`\nlog of ${sizes.logs} lines, taken in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  const opened = performance.now();
  const page = await open(browser, host, `/bots/${id}/logs`);
  const list = page.getByRole('region', { name: 'Log of' });
  await list.getByText('all is printed').waitFor();
  console.log(`opened at its end after ${ms(performance.now() - opened)} with log-in`);
  await list.hover();
  await traced(browser, page, ['log-wheel', 'wheel over the log'], () =>
    forSeconds(10, (n) => page.mouse.wheel(0, n % 400 < 250 ? -240 : 240)),
  );
  await traced(browser, page, ['log-drag', 'scroll bar dragged over the whole log'], () =>
    forSeconds(10, async (n) => {
      const share = Math.abs(1 - ((n * 0.013) % 2));
      await list.evaluate((element, to) => {
        element.scrollTop = (element.scrollHeight - element.clientHeight) * to;
      }, share);
    }),
  );
  const search = page.getByRole('textbox', { name: 'Search the whole log' });
  await traced(browser, page, ['log-search', 'search of the whole log'], async () => {
    const asked = performance.now();
    await search.fill('slow venue');
    await search.press('Enter');
    await page
      .getByText(/ of \d/)
      .first()
      .waitFor({ timeout: 120_000 });
    console.log(`  newest hit of ${Math.floor(sizes.logs / 1000)} after ${ms(performance.now() - asked)}`);
  });
  await page.context().close();
  await call(host, 'DELETE', `/api/v1/bots/${id}`);
}

async function benchLive(browser: Browser, host: StartedHost): Promise<void> {
  const id = await deployOneFile(host, { name: 'talks', entry: 'bot.py', source: talker });
  const page = await open(browser, host, `/bots/${id}/logs`);
  const list = page.getByRole('region', { name: 'Log of' });
  await list
    .getByText(/ tick \d+/)
    .first()
    .waitFor();
  const behind: number[] = [];
  const heaps: number[] = [];
  console.log(`\n${RATE} lines a second, followed for ${sizes.live} s`);
  const end = Date.now() + sizes.live * 1000;
  while (Date.now() < end) {
    await wait(1000);
    const newest = await list.evaluate((element) =>
      Math.max(...[...element.textContent.matchAll(/(\d{10}\.\d{3}) tick/g)].map((found) => Number(found[1]))),
    );
    behind.push(Date.now() / 1000 - newest);
    if (behind.length % 30 === 0) heaps.push(await heapMb(page));
  }
  const { entries } = await logPage(host, id, 'limit=1');
  console.log(
    `page behind the bot: p50 ${at(behind, 0.5).toFixed(2)} s, p95 ${at(behind, 0.95).toFixed(2)} s, most ${Math.max(...behind).toFixed(2)} s; ` +
      `last ${entries.at(-1)?.message.replace(/^\S+ /, '')}; heap every 30 s: ${heaps.map((one) => one.toFixed(0)).join(' ')} MB`,
  );
  await traced(browser, page, ['log-follow', 'following 10,000 lines a second'], () => wait(10_000));
  await page.context().close();
  await call(host, 'DELETE', `/api/v1/bots/${id}`);
}

async function benchPoints(browser: Browser, host: StartedHost): Promise<void> {
  const id = await deployOneFile(host, { name: 'samples', entry: 'bot.py', source: sampler(sizes.points) });
  await printed(host, id, LAST);
  const opened = performance.now();
  const page = await open(browser, host, `/bots/${id}/metrics`);
  const canvas = page.locator('figure .u-over').first();
  await canvas.waitFor();
  console.log(`\nmetric of ${sizes.points} points, shown after ${ms(performance.now() - opened)} with log-in`);
  const box = await canvas.boundingBox();
  if (box === null) throw new Error('no chart');
  await traced(browser, page, ['chart-crosshair', 'crosshair over the chart'], () =>
    forSeconds(10, (n) => page.mouse.move(box.x + ((n * 7) % box.width), box.y + 100)),
  );
  await traced(browser, page, ['chart-zoom', 'zoom into the chart and back'], async () => {
    for (let n = 0; n < 5; n += 1) {
      await page.mouse.move(box.x + 300, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + 600, box.y + 60, { steps: 10 });
      await page.mouse.up();
      const back = page.getByRole('button', { name: 'Reset zoom' });
      await back.waitFor();
      await back.click();
      await back.waitFor({ state: 'hidden' });
    }
  });
  await page.context().close();
  await call(host, 'DELETE', `/api/v1/bots/${id}`);
}

async function benchFleet(browser: Browser, host: StartedHost): Promise<void> {
  await publishOneFile(host, { name: 'sleeps', entry: 'bot.py', source: 'pass\n', type: 'scheduled' });
  for (let n = 0; n < sizes.bots; n += 1) {
    const name = `fleet ${String(n).padStart(4, '0')}`;
    await deploy(host, { name, type: 'scheduled/sleeps', version: '1.0.0', schedule: '0 0 1 1 *', config: {} });
  }
  const opened = performance.now();
  const page = await open(browser, host, '/');
  await page.getByRole('link', { name: 'fleet 0000' }).waitFor();
  console.log(`\nfleet of ${sizes.bots} bots, shown after ${ms(performance.now() - opened)} with log-in`);
  await page.getByRole('link', { name: 'fleet 0000' }).hover();
  await traced(browser, page, ['fleet-wheel', 'wheel over the fleet'], () =>
    forSeconds(10, (n) => page.mouse.wheel(0, n % 200 < 100 ? 240 : -240)),
  );
  await traced(browser, page, ['fleet-search', 'search typed in the fleet'], async () => {
    const search = page.getByLabel('Search bots');
    const last = String(sizes.bots - 1).padStart(4, '0');
    await search.pressSequentially(last, { delay: 80 });
    await page.getByRole('link', { name: `fleet ${last}` }).waitFor();
  });
  await page.context().close();
}

const host = await startHost({ flags: ['--retention-mb', '8000'] });
const browser = await launchBrowser();
try {
  if (sizes.logs > 0) await benchLogs(browser, host);
  if (sizes.live > 0) await benchLive(browser, host);
  if (sizes.points > 0) await benchPoints(browser, host);
  if (sizes.bots > 0) await benchFleet(browser, host);
  bench.done();
} finally {
  await browser.close();
  await host.close();
}
