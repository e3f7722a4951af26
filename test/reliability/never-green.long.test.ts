import { afterAll, beforeAll, expect, it } from 'vitest';
import { BotWatch } from '../../src/main/desktop/bot-watch.ts';
import { trayWords } from '../../src/main/desktop/tray-words.ts';
import { openDashboard } from '../support/browser.ts';
import { makeKey } from '../support/mcp.ts';
import { assistantOf } from '../support/mcp-client.ts';
import { TestHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { botUntil, call, deployTiny, getBot } from '../support/tiny-bot.ts';

/** A bot that dies every few seconds, as each surface shows it: none may call it well for a moment. */
const host = new TestHost();
beforeAll(async () => void (await host.start()));
afterAll(() => host.stop());

const LOOKS = rounds(40, 600);
/** The looks of the full round are spread over so long at least. */
const MINUTES = rounds(0, 5);
/** It runs for longer than it waits before it is started again at first, so that looks fall on both. */
const DIES = 'setTimeout(() => { throw new Error("no more"); }, 3000);\n';

/** What a page shows of the only bot: the words of its signs, whether one is green, and title and icon of the tab. */
const SHOWN = `(() => {
  const green = document.createElement('i');
  green.style.color = 'var(--running)';
  document.body.append(green);
  const signs = [...document.querySelectorAll('main :is(tbody, header) span[class*=status]')].filter((one) => one.querySelector('svg') && one.offsetParent);
  const shown = {
    words: signs.map((one) => one.textContent),
    isGreen: signs.some((one) => getComputedStyle(one).color === getComputedStyle(green).color),
    title: document.title,
    icon: document.querySelector('link[rel="icon"]').href,
  };
  green.remove();
  return shown;
})()`;

interface Shown {
  readonly words: readonly string[];
  readonly isGreen: boolean;
  readonly title: string;
  readonly icon: string;
}

const ILL = /^(Crash-looping|Recovering) · \d+×$/;
/** True for a page on which a sign is green, or says anything else than that the bot is ill, or that has too few signs. */
const isWell = ({ words, isGreen }: Shown, signs: number): boolean =>
  isGreen || words.length < signs || !words.every((one) => ILL.test(one));

it('is never shown as well by fleet, panel, page, tab, tray, command line or assistant', async ({ onTestFinished }) => {
  const fleet = await openDashboard(host, onTestFinished);
  await expect.poll(() => fleet.title()).toBe('Bot Platform');
  const calm = await fleet.evaluate<string>('document.querySelector(\'link[rel="icon"]\').href');
  const { bot_id: id } = await deployTiny(host, { name: 'dies', bot: DIES });
  onTestFinished(async () => void (await call(host, 'DELETE', `/api/v1/bots/${id}`)));
  await botUntil(host, id, 'a crash loop', ({ health }) => health.state === 'crash_looping');
  const page = await openDashboard(host, onTestFinished, { path: `/bots/${id}` });
  const watch = new BotWatch({
    changed: () => undefined,
    event: () => undefined,
    lost: () => undefined,
    wait: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    onError: (where, error) => expect.unreachable(`${where}: ${error}`),
  });
  onTestFinished(() => watch.follow(null));
  watch.follow({ url: host.url, token: host.token });
  const assistant = await assistantOf(host, await makeKey(host), { onTestFinished, path: '/mcp' });
  for (const each of [fleet, page]) await each.getByText(ILL).first().waitFor();
  // The fleet with its panel: both signs count.
  await fleet.getByRole('row').nth(1).getByText(ILL).first().click();
  await fleet.getByRole('region', { name: 'dies' }).getByText(ILL).waitFor();
  await expect.poll(() => watch.isKnown).toBe(true);

  const seen = { running: 0, backing_off: 0 };
  const wrong: unknown[] = [];
  const begun = performance.now();
  const minutes = (): number => (performance.now() - begun) / 60_000;
  let look = 0;
  for (; look < LOOKS || minutes() < MINUTES || seen.running * seen.backing_off === 0; look += 1) {
    const before = await getBot(host, id);
    const [inFleet, onPage, told, listed] = await Promise.all([
      fleet.evaluate<Shown>(SHOWN),
      page.evaluate<Shown>(SHOWN),
      assistant.use('bot_list'),
      host.cli('bot', 'list'),
    ]);
    const { status } = before;
    if (status === 'running' || status === 'backing_off') seen[status] += 1;
    const line = listed.stdout.split('\n').find((one) => one.includes('dies')) ?? '';
    const tray = trayWords(watch.bots, true);
    const wells = {
      fleet: isWell(inFleet, 2),
      page: isWell(onPage, 1),
      title: inFleet.title !== '(1) Bot Platform' || onPage.title !== '(1) dies · Bot Platform',
      icon: inFleet.icon === calm || onPage.icon === calm,
      tray: tray.failing.length !== 1 || !tray.summary.endsWith('1 needs you'),
      cli: !/(crash-looping|recovering) · \d+×/.test(line) || line.includes('●'),
      mcp: told.unhealthy !== 1 || !['crash_looping', 'recovering'].includes(told.bots[0]?.health),
    };
    if (Object.values(wells).includes(true)) wrong.push({ look, status, wells, inFleet, onPage, line, tray, told });
  }
  expect(wrong).toEqual([]);
  await prove('R27', 'A bot that dies every few seconds, as each surface shows it', {
    looks: look,
    'while it ran': seen.running,
    'while it waited': seen.backing_off,
    minutes: Math.round(minutes() * 10) / 10,
    'shown as well': wrong.length,
  });
});
