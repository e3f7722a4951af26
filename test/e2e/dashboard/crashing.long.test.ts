import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { Bot } from '../../../src/contract/bot.ts';
import { sharedDashboard } from '../../support/browser.ts';
import { TestHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, publish } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

/** What a person is told of a bot that fails: nothing looks well before it is. */
const host = new TestHost();
beforeAll(async () => void (await host.start()));
afterAll(() => host.stop());
const dashboard = sharedDashboard(host);

/** Raises an exception below a function of its own after it has worked for as long as is said, with lines around it. */
const FAILS_AFTER = (seconds: number): string => `
import time
print('INFO it works', flush=True)
time.sleep(${seconds})
def price_of(symbol):
    prices = {'AAPL': 1}
    return prices[symbol]
def look():
    return price_of('TSLA') * 2
look()
`;
const STAYS = 'import threading\nthreading.Event().wait()\n';

type Finished = TestContext['onTestFinished'];

/** Deploys a bot of Python that is gone after the test, so that no other one counts it. */
async function deployFor(onTestFinished: Finished, name: string, bot: string): Promise<string> {
  const { bot_id } = await deployTiny(host, { name, runtime: 'python311', bot });
  onTestFinished(async () => void (await call(host, 'DELETE', `/api/v1/bots/${bot_id}`)));
  return bot_id;
}
const looping = (id: string): Promise<Bot> =>
  botUntil(host, id, 'a crash loop', ({ health }) => health.state === 'crash_looping');

/** Title and icon of the tab, and what colour the icon has where it says that a bot needs somebody. */
const TAB = `(async () => {
  const href = document.querySelector('link[rel="icon"]').href;
  return { title: document.title, icon: await (await fetch(href)).text() };
})()`;

describe('a bot that crashes again and again', () => {
  it('is counted in title and icon of the tab, until it is stopped', async ({ onTestFinished }) => {
    const page = await dashboard(onTestFinished);
    const tab = (): Promise<{ title: string; icon: string }> => page.evaluate(TAB);
    await expect.poll(async () => (await tab()).title).toBe('Bot Platform');
    const calm = (await tab()).icon;
    expect(calm).toContain('<svg');
    const id = await deployFor(onTestFinished, 'tab-signs', FAILS_AFTER(0));
    await looping(id);
    await expect.poll(async () => (await tab()).title).toBe('(1) Bot Platform');
    const alert = (await tab()).icon;
    expect(alert).toContain('<svg');
    expect(alert).not.toBe(calm);
    await page.getByRole('link', { name: 'tab-signs', exact: true }).click();
    await expect.poll(async () => (await tab()).title).toBe('(1) tab-signs · Bot Platform');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect.poll(tab).toEqual({ title: 'tab-signs · Bot Platform', icon: calm });
  });

  it('is never green between two crashes, and its failure stays in sight', async ({ onTestFinished }) => {
    const id = await deployFor(onTestFinished, 'every-3-s', FAILS_AFTER(3));
    await looping(id);
    const page = await dashboard(onTestFinished, { path: `/bots/${id}` });
    const card = page.getByRole('region', { name: /KeyError/ });
    await card.waitFor();
    const chip = `(() => {
      const sign = [...document.querySelectorAll('main [class*=status]')].find((one) => /crash|recover|run/i.test(one.textContent));
      const green = document.createElement('i');
      green.style.color = 'var(--running)';
      document.body.append(green);
      const told = {
        words: sign.textContent,
        isGreen: getComputedStyle(sign).color === getComputedStyle(green).color,
        again: document.querySelector('[aria-labelledby=failure-title]')?.innerText.match(/(Trying|Started) again.*/)?.[0] ?? null,
      };
      green.remove();
      return told;
    })()`;
    const seen: { words: string; isGreen: boolean; again: string | null; status: string }[] = [];
    // At least thirty looks, some of them while it runs, and some while it waits.
    await until('thirty looks at a bot that runs and waits', async () => {
      const { status } = await getBot(host, id);
      seen.push({ ...(await page.evaluate<Omit<(typeof seen)[number], 'status'>>(chip)), status });
      const states = new Set(seen.map((one) => one.status));
      return seen.length >= 60 && states.has('running') && states.has('backing_off');
    });
    expect(seen.filter(({ isGreen }) => isGreen)).toEqual([]);
    expect(seen.filter(({ words }) => !/^Crash-looping · \d+×$/.test(words))).toEqual([]);
    expect(seen.filter(({ again }) => again === null)).toEqual([]);
    expect(seen.filter(({ status }) => status === 'running').length).toBeGreaterThan(0);
  });

  it('leads from its errors in the fleet to the newest failure, with the whole traceback', async ({
    onTestFinished,
  }) => {
    const id = await deployFor(onTestFinished, 'traces', FAILS_AFTER(0));
    const { health } = await looping(id);
    await call(host, 'POST', `/api/v1/bots/${id}/stop`);
    await botUntil(host, id, 'its stop', ({ status }) => status === 'stopped');
    const page = await dashboard(onTestFinished);
    await page.getByRole('link', { name: /errors of traces in the last hour/ }).click();
    await page.waitForURL(/\/logs\?/);
    const lines = page.getByRole('log').or(page.locator('main'));
    await lines.getByText("KeyError: 'TSLA'").last().waitFor();
    const entries = (await logsOf(host, id)).filter(({ level }) => level === 'error');
    const newest = entries.filter(({ message }) => message.includes('KeyError')).at(-1);
    expect(newest?.message).toMatch(
      /^Traceback[\s\S]*look\(\)[\s\S]*price_of\('TSLA'\)[\s\S]*prices\[symbol\][\s\S]*KeyError: 'TSLA'$/,
    );
    expect(health.failures).toBeGreaterThanOrEqual(3);
    // All of it, in sight, without another click.
    for (const part of ['Traceback (most recent call last)', "return price_of('TSLA') * 2", "KeyError: 'TSLA'"]) {
      const place = await lines.getByText(part).last().boundingBox();
      expect([part, place !== null && place.y > 0 && place.y + place.height <= 800]).toEqual([part, true]);
    }
    // From the card to the line of code, and to the option that a failure may name.
    await page.goto(`${host.url}/bots/${id}`);
    await page.getByRole('button', { name: /^Show \S+\.py:7$/ }).click();
    const text = page.getByRole('region', { name: /^Text of / });
    await text.getByText('return prices[symbol]').waitFor();
    const mark = await text.locator('[class*=mark]').boundingBox();
    const code = await text.evaluate((element) => {
      const range = document.createRange();
      const node = element.querySelector('pre + pre')?.firstChild as Text;
      range.setStart(node, node.data.indexOf('return prices'));
      range.setEnd(node, node.data.indexOf('return prices') + 6);
      const { top, bottom } = range.getBoundingClientRect();
      return (top + bottom) / 2;
    });
    expect(code).toBeGreaterThan(mark?.y ?? Number.NaN);
    expect(code).toBeLessThan((mark?.y ?? Number.NaN) + (mark?.height ?? 0));
    await page.goto(`${host.url}/bots/${id}`);
    await page.getByRole('button', { name: 'Edit it' }).click();
    const folder = join(tempDir(), 'traces');
    await page.getByLabel('Copy into a new folder').fill(folder);
    await page.getByRole('button', { name: 'Copy and edit' }).click();
    await page.waitForURL(/\/editor\/\w+\?file=\S+\.py&line=7$/);
    const shown = page.getByRole('navigation', { name: 'Open files' }).locator('[aria-current]');
    await shown.getByText(/\.py$/).waitFor();
    expect(existsSync(join(folder, 'bot-config.yaml'))).toBe(true);
    await page.goto(`${host.url}/bots/${id}/settings?option=memory_mb`);
    await page.locator('input[data-field=memory_mb]:focus').waitFor();
    await page.goto(`${host.url}/bots/${id}/config?setting=nothing_of_this_name`);
    await page.getByText('What is not set here has its default').waitFor();
  });

  it('says what rolling back does before it does it, and takes it back', async ({ onTestFinished }) => {
    const id = await deployFor(onTestFinished, 'rolls-back', STAYS);
    await botUntil(host, id, 'it to run', ({ status }) => status === 'running');
    await publish(host, { name: 'rolls-back', runtime: 'python311', bot: FAILS_AFTER(2), version: '1.1.0' });
    await call(host, 'PATCH', `/api/v1/bots/${id}`, { version: '1.1.0' });
    await looping(id);
    const page = await dashboard(onTestFinished, { path: `/bots/${id}` });
    const card = page.getByRole('region', { name: /KeyError/ });
    const back = card.getByRole('button', { name: 'Roll back to 1.0.0' });
    await back.waitFor();
    await card.getByText(/^Rolling back (restarts the bot once|tries the bot again at once)\.$/).waitFor();
    await back.click();
    await page.getByText(/^rolls-back is back on version 1\.0\.0\. It (restarts|is tried again) now\.$/).waitFor();
    await botUntil(
      host,
      id,
      'the version before',
      ({ version, status }) => version === '1.0.0' && status === 'running',
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('rolls-back is on version 1.1.0 again.').waitFor();
    expect(await getBot(host, id)).toMatchObject({ version: '1.1.0', enabled: true });
    await lineUntil(host, id, 'it works');
  });
});
