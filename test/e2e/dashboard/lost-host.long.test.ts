import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { DATA_PLACES, type Place, pathOf } from '../../support/dashboard/places.ts';
import { settled, shown } from '../../support/dashboard/visit.ts';
import { testHost } from '../../support/platform.ts';
import { everyVariant } from '../../support/proof.ts';
import { deployTalking, TALKING } from '../../support/talking-bot.ts';
import { publish } from '../../support/tiny-bot.ts';

const LINES = 6;
/** One place for each way in which a page reads. Each open page costs a process: the others are left to a run with every variant. */
const ALWAYS: ReadonlySet<string> = new Set([
  ...['fleet', 'bot-overview', 'bot-logs', 'bot-metrics', 'bot-state', 'bot-runs', 'deploy', 'custom-bots', 'editor'],
  ...['connect', 'settings-storage'],
]);
const LOOKED_AT = DATA_PLACES.filter(({ name }) => everyVariant || ALWAYS.has(name));
const PATIENT = { timeout: 60_000 };
/** Time for a page to report that its host is gone, on a machine that is busy with all pages at once. */
const TOLD_MS = 60_000;

interface Open {
  readonly place: Place;
  readonly page: Page;
  /** Names of what the page asked its host for, by connection. */
  readonly asked: Set<string>[];
}

/** Records a page's requests, on each of its connections. */
function listen(page: Page): Set<string>[] {
  const asked: Set<string>[] = [];
  page.on('websocket', (socket) => {
    const names = new Set<string>();
    asked.push(names);
    socket.on('framesent', ({ payload }) => {
      const { call, stream } = JSON.parse(String(payload));
      names.add(call ?? stream ?? '');
    });
  });
  return asked;
}

/** Requests whose answer another request includes. */
const COVERED_BY: Readonly<Record<string, string>> = {
  // The log is read on from where it was, by its stream.
  'logs.get': 'logs.stream',
  // One bot is read after a change; after a loss the list has all of them.
  'bots.get': 'bots.list',
  // These are asked for again when the list says that the bot has changed.
  'bots.events': 'bots.list',
  'runs.get': 'bots.list',
};

/** Requests of a page from before its host went away that it has not repeated. */
function unread({ asked }: Open): string[] {
  const [before] = asked;
  const since = asked.at(-1);
  if (before === undefined || since === undefined || before === since) return ['everything'];
  return [...before].filter((name) => !since.has(name) && !since.has(COVERED_BY[name] ?? name));
}

it('says on every place that its host was killed, and goes on with all that was missed when it is back', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const { bot, say } = await deployTalking(host);
  await publish(host, { ...TALKING, version: '1.1.0' });
  const lines = (word: string): string[] => Array.from({ length: LINES }, (_, i) => `${word} ${i + 1}`);
  const names = { well: bot.bot_id, broken: '', scheduled: '', fresh: '', custom: 'talking' };
  const first = await openDashboard(host, onTestFinished, {
    expected: [/WebSocket connection|ERR_CONNECTION_REFUSED/],
  });
  const thrown: string[] = [];
  first.context().on('weberror', (error) => thrown.push(String(error.error())));
  const open: Open[] = [];
  for (const place of LOOKED_AT) {
    const page = await first.context().newPage();
    const asked = listen(page);
    await page.goto(`${host.url}${pathOf(place, names)}`);
    await shown(page, place.has);
    await settled(page);
    await page.evaluate('window.isOld = true');
    open.push({ place, page, asked });
  }
  const log = open.find(({ place }) => place.name === 'bot-logs')?.page;
  if (log === undefined) throw new Error('there is no place with a log');
  const texts = async (): Promise<string[]> =>
    (await log.getByRole('region', { name: 'Log of' }).getByRole('listitem').allInnerTexts()).flatMap(
      (text) => text.match(/(?:before|while|after) \d+/) ?? [],
    );
  say(...lines('before'));
  await expect.poll(texts).toEqual(lines('before'));

  await host.kill();
  const bar = (page: Page) => page.getByText('The host does not answer', { exact: true });
  const silent = async ({ place, page }: Open): Promise<string | null> => {
    await expect
      .poll(() => bar(page).count(), { timeout: TOLD_MS })
      .toBe(1)
      .catch(() => undefined);
    return (await bar(page).isVisible()) ? null : place.name;
  };
  expect((await Promise.all(open.map(silent))).filter((name) => name !== null)).toEqual([]);
  await log.getByText('Not live now').waitFor();
  // The bot lives on, and says more.
  say(...lines('while'));
  for (const { page, place } of open) {
    expect([place.name, await page.getByText('PAGE_FAILED').count()]).toEqual([place.name, 0]);
    // Known data stays, below the bar that shows its age.
    await shown(page, place.has);
  }

  await host.start();
  await Promise.all(open.map(({ page }) => bar(page).waitFor({ state: 'detached', ...PATIENT })));
  say(...lines('after'));
  await expect.poll(texts, PATIENT).toEqual([...lines('before'), ...lines('while'), ...lines('after')]);
  await log.getByText('Following').waitFor();
  const missing = (): string[] => open.flatMap((one) => unread(one).map((name) => `${one.place.name}: ${name}`));
  await expect.poll(missing, PATIENT).toEqual([]);
  for (const one of open) {
    await shown(one.page, one.place.has);
    expect([one.place.name, await one.page.getByRole('main').getByRole('alert').allInnerTexts()]).toEqual([
      one.place.name,
      [],
    ]);
    expect(await one.page.evaluate('window.isOld')).toBe(true);
  }
  expect(thrown).toEqual([]);
});
