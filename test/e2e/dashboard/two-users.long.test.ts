import type { Page } from 'playwright-core';
import { expect, it, type TestContext } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { DATA_PLACES, pathOf } from '../../support/dashboard/places.ts';
import { settled, shown } from '../../support/dashboard/visit.ts';
import { loggedIn } from '../../support/logged-in.ts';
import { type TestHost, testHost } from '../../support/platform.ts';
import { everyVariant } from '../../support/proof.ts';
import { deployTalking, TALKING, type TalkingBot } from '../../support/talking-bot.ts';
import { publish } from '../../support/tiny-bot.ts';

/** Places that only an owner has. */
const OWNERS = new Set(['settings-users', 'settings-storage']);
/**
 * Places where the owner looks for the user's data: the same rules hold as for the user, who visits every place. The
 * others are left to a run with every variant.
 */
const OWNER_LOOKS: ReadonlySet<string> = new Set([
  ...['fleet', 'bot-overview', 'bot-logs', 'bot-query', 'deploy', 'custom-bots', 'custom-bot-readme', 'connect'],
  ...['settings-keys', 'settings-audit', ...OWNERS],
]);
/** A place without anything of a bot. */
const BETWEEN = '/settings/about';

/** A user with their own browser and bot. */
interface Person {
  readonly name: string;
  /** In all that the bot says, and in its name. */
  readonly mark: string;
  readonly page: Page;
  readonly talking: TalkingBot;
  /** Everything that the browser was told by the host. */
  readonly told: string[];
}

async function person(
  host: Pick<TestHost, 'url' | 'fetch'>,
  onTestFinished: TestContext['onTestFinished'],
  name: string,
): Promise<Person> {
  const mark = `${name}-jewel`;
  const talking = await deployTalking(host, mark, mark);
  await publish(host, { ...TALKING, name: mark, version: '1.1.0' });
  const page = await openDashboard(host, onTestFinished, { path: '/settings/about' });
  const told: string[] = [];
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => told.push(String(payload))));
  return { name, mark, page, talking, told };
}

/** Goes through every place with one's own bot, while it talks, and looks for the other's everywhere. */
async function look(me: Person, other: Person, origin: string): Promise<void> {
  const { page, talking, mark } = me;
  const names = { well: talking.bot.bot_id, broken: '', scheduled: '', fresh: '', custom: mark };
  const clean = async (where: string): Promise<void> => {
    const seen = await page.content();
    expect([me.name, where, seen.includes(other.mark), seen.includes(other.talking.bot.bot_id)]).toEqual([
      me.name,
      where,
      false,
      false,
    ]);
  };
  // As by links, because reloading the page for each place takes several times as long. Each place is left before the
  // next one.
  const goTo = async (path: string): Promise<void> => {
    for (const to of [BETWEEN, path]) await page.evaluate(`history.pushState(null, '', ${JSON.stringify(to)})`);
  };
  await page.goto(`${origin}${BETWEEN}`);
  await shown(page, 'For a report');
  const looked = DATA_PLACES.filter(({ name }) =>
    me.name === 'owner' ? everyVariant || OWNER_LOOKS.has(name) : !OWNERS.has(name),
  );
  for (const place of looked) {
    await goTo(pathOf(place, names));
    talking.say(`${mark} is at ${place.name}`);
    await shown(page, place.has);
    await settled(page);
    await clean(place.name);
  }
  const theirs = { ...names, well: other.talking.bot.bot_id, custom: other.mark };
  for (const place of looked.filter(({ path }) => /:well|:custom/.test(path))) {
    const path = pathOf(place, theirs);
    await goTo(path);
    await page.getByText(/There is no (custom )?bot/).waitFor();
    // Only text from the address is repeated.
    const words = (await page.getByRole('main').innerText()).replaceAll(`“${other.mark}”`, '');
    expect([path, words.includes(other.mark)]).toEqual([path, false]);
  }
  // And as one who comes to that address.
  for (const path of [`/bots/${theirs.well}/logs`, `/custom-bots/${theirs.custom}`]) {
    await page.goto(`${origin}${path}`);
    await page.getByText(/There is no (custom )?bot/).waitFor();
  }
  await goTo('/');
  await page.getByRole('link', { name: mark }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('jewel');
  await page.getByRole('option', { name: mark }).first().waitFor();
  await clean('palette');
}

it('shows two users at once nothing of each other, on any place', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const ann = await loggedIn(host, 'ann');
  const people = await Promise.all([person(host, onTestFinished, 'owner'), person(ann, onTestFinished, 'ann')]);
  const [owner, user] = people;
  await Promise.all([look(owner, user, host.url), look(user, owner, host.url)]);
  for (const [me, other] of [
    [owner, user],
    [user, owner],
  ] as const) {
    const all = me.told.join('\n');
    expect(all).toContain(`${me.mark} is at bot-logs`);
    expect([me.name, all.includes(other.mark), all.includes(other.talking.bot.bot_id)]).toEqual([
      me.name,
      false,
      false,
    ]);
  }
});
