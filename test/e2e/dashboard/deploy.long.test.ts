import { describe, expect, it } from 'vitest';
import type { Bot } from '../../../src/contract/bot.ts';
import { packFolder } from '../../../src/packaging/pack.ts';
import { openDashboard } from '../../support/browser.ts';
import { barriers } from '../../support/dashboard/barriers.ts';
import { exampleCopy, testHost } from '../../support/platform.ts';
import { call, getBot, publish } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const STAY = 'setInterval(() => {}, 60_000);\n';
const schema = (most: number) => ({
  type: 'object',
  properties: {
    pair: { type: 'string', description: 'What it trades.' },
    orders: { type: 'integer', minimum: 2, maximum: most, default: 10 },
    api_key: { type: 'string', description: 'Key of the exchange.' },
    mode: { enum: ['paper', 'live'], default: 'paper' },
    levels: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
    stop: { oneOf: [{ type: 'number' }, { type: 'string' }] },
  },
  required: ['pair'],
  additionalProperties: false,
});

const bots = async (host: Parameters<typeof call>[0]): Promise<Bot[]> =>
  (await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items;

describe('first run, deploy, custom bots and config', () => {
  it('deploys the sample bot with one click and opens its page', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const page = await openDashboard(host, onTestFinished, { colorScheme: 'light' });
    const button = page.getByRole('button', { name: 'Deploy the sample bot' });
    await expect.poll(() => button.isEnabled(), { timeout: 30_000 }).toBe(true);
    await button.click();
    await page.getByRole('heading', { name: 'SMA crossover AAPL (Node)' }).waitFor();
    await page.waitForURL(/\/bots\/bot_/);
    const [bot] = await bots(host);
    expect(bot?.config.base_url).toMatch(new RegExp(`^${host.url}/feed/from/\\d+$`));
    await page.getByText('Running').first().waitFor();
    await page.getByText(/^It looks at the price again in \d+ s$/).waitFor();
    const next = page.getByRole('navigation', { name: 'What to do next' });
    expect(await next.getByRole('link').allInnerTexts()).toEqual([
      'Change its settings',
      'Write your own',
      'Connect an assistant',
    ]);

    // Another sample, from the place where bots are deployed: its schedule is told in words.
    await page.getByRole('link', { name: 'Deploy', exact: true }).click();
    await page.getByText('Or begin with a sample').click();
    await page.getByRole('button', { name: 'Use python-portfolio-tracker' }).click();
    await page.getByText('Runs every 5 minutes').waitFor();
    expect(await page.getByRole('row').count()).toBe(6);
    await page.getByRole('textbox', { name: 'Schedule' }).fill('61 * * * *');
    await page.getByText(/minute field "61"/).waitFor();
    await page.getByRole('button', { name: 'Weekdays at 14' }).click();
    await page.getByText('Runs every weekday at 14:00 UTC').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('heading', { name: 'My portfolio' }).waitFor();
    expect((await bots(host)).find((one) => one.name === 'My portfolio')?.schedule).toBe('0 14 * * 1-5');
  });

  it('deploys by a form, changes the config with its secret kept, and moves bots between versions', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    await publish(host, { name: 'grid-trader', bot: STAY, schema: schema(40) });
    await publish(host, { name: 'grid-trader', version: '1.1.0', bot: STAY, schema: schema(60) });
    const page = await openDashboard(host, onTestFinished, {
      path: '/deploy?custom_bot=grid-trader&version=1.0.0',
      // The package that is refused below.
      expected: [/400 \(Bad Request\)/],
    });
    const json = page.getByLabel('Config as JSON');

    // The form and the JSON are the same value; mistakes are told as they are made, in the words of the host.
    await page.getByRole('textbox', { name: 'orders' }).fill('50');
    await page.getByText('must be at most 40 (got 50)').waitFor();
    expect(JSON.parse(await json.inputValue())).toEqual({ orders: 50 });
    await json.fill('{"orders": 12, "paire": "X"}');
    await page.getByText('is not a setting of this bot').waitFor();
    await page.getByText('Did you mean pair?').waitFor();
    expect(await page.getByRole('textbox', { name: 'orders' }).inputValue()).toBe('12');
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove paire' }).click();

    // What the host refuses stands at its field.
    await page.getByRole('textbox', { name: 'api_key' }).fill('sk-secret-value');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('alert').getByText('INVALID_CONFIG').waitFor();
    expect(await page.getByRole('textbox', { name: 'pair' }).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('textbox', { name: 'pair' }).and(page.locator(':focus')).count()).toBe(1);
    await page.getByRole('textbox', { name: 'pair' }).fill('BTC-USD');
    expect(await page.getByRole('region', { name: 'command' }).innerText()).not.toContain('sk-secret');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.waitForURL(/\/bots\/bot_/);
    const [bot] = await bots(host);
    if (bot === undefined) throw new Error('nothing was deployed');
    expect(bot).toMatchObject({ name: 'grid-trader', config: { pair: 'BTC-USD', orders: 12, api_key: '********' } });

    // Config: only changes are sent, and the secret stays.
    await page.getByRole('link', { name: 'Config', exact: true }).click();
    await page.getByText('Stored; it is kept').waitFor();
    await page.getByRole('textbox', { name: 'orders' }).fill('20');
    await page.getByText('The bot restarts once.').waitFor();

    // No way leads away from it unasked, not even the browser's own.
    const asked = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    const ways = [() => page.getByRole('link', { name: 'Fleet' }).click(), () => page.goBack()];
    for (const leave of ways) {
      await leave();
      await asked.getByRole('button', { name: 'Cancel' }).click();
      await asked.waitFor({ state: 'detached' });
      expect(new URL(page.url()).pathname).toBe(`/bots/${bot.bot_id}/config`);
      expect(await page.getByRole('textbox', { name: 'orders' }).inputValue()).toBe('20');
    }
    expect(await page.getByRole('region', { name: 'Changes' }).innerText()).toMatch(/orders.*12.*20/s);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' });
    expect((await getBot(host, bot.bot_id)).config).toEqual({ pair: 'BTC-USD', orders: 20, api_key: '********' });

    // Custom bots: what differs, all bots to another version, and the old one away.
    await page.getByRole('link', { name: 'Custom bots' }).click();

    // A package is published by its file: first a wrong one, with what the host says to it.
    const choose = page.getByLabel('Package to publish');
    await choose.setInputFiles({
      name: 'bot.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from('no zip'),
    });
    await page.getByRole('alert').getByText('nor a .zip').first().waitFor();
    const packed = await packFolder(exampleCopy('node-price-alerts'));
    const chunks: Uint8Array[] = [];
    for await (const chunk of packed.stream) chunks.push(chunk);
    await choose.setInputFiles({ name: 'alerts.tar.gz', mimeType: 'application/gzip', buffer: Buffer.concat(chunks) });
    const preview = page.getByRole('region', { name: 'Publish node-price-alerts' });
    await preview.getByRole('heading', { name: 'Permits' }).waitFor();
    expect(
      await preview
        .getByRole('heading', { name: /^Publish/ })
        .and(page.locator(':focus'))
        .count(),
    ).toBe(1);
    await preview.getByText(packed.summary().hash).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect((await host.fetch('/api/v1/custom-bots/node-price-alerts')).status).toBe(404);
    await preview.getByRole('button', { name: /^Publish node-price-alerts/ }).click();
    await page.getByRole('status').getByText('is published.').waitFor();
    await page.getByRole('link', { name: 'node-price-alerts', exact: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
    // It is a sample: its bots start with the prices of this host, even if it is published already.
    await page.getByRole('link', { name: 'Deploy it' }).click();
    const prices = async () => JSON.parse(await json.inputValue()).base_url;
    await expect.poll(prices, { timeout: 20_000 }).toContain(`${host.url}/feed/from/`);
    await page.getByRole('link', { name: 'Custom bots' }).click();
    await page.getByRole('link', { name: 'grid-trader', exact: true }).click();
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByText('range: 2 to 40 → 2 to 60').waitFor();
    await page.getByText('2 are different').waitFor();
    const lines = page.getByRole('region', { name: 'Changes of bot-config.yaml' });
    await lines.getByText('version: "1.0.0"').waitFor();
    await page.getByRole('radio', { name: 'Side by side' }).check();
    expect(await lines.getByRole('row').filter({ hasText: '"1.0.0"' }).innerText()).toContain('version: "1.1.0"');
    expect(await barriers(page)).toEqual([]);
    const tabs = page.getByRole('navigation', { name: 'Tabs of grid-trader' });
    await tabs.getByRole('link', { name: /^Settings/ }).click();
    await page.getByRole('cell', { name: 'Key of the exchange.' }).waitFor();
    await tabs.getByRole('link', { name: 'Files' }).click();
    await page.getByRole('region', { name: 'Text of bot-config.yaml' }).getByText('name: grid-trader').waitFor();
    await page.getByRole('link', { name: 'src/bot.mjs' }).click();
    await page.getByRole('region', { name: 'Text of src/bot.mjs' }).getByText('setInterval').waitFor();
    await page.getByRole('link', { name: /^Bots/ }).click();
    await page.getByRole('button', { name: 'Update 1 bot' }).click();
    await page.getByRole('alertdialog').getByText('1 bot that runs now restarts once.').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Update 1 bot' }).click();
    await page.getByRole('cell', { name: 'Changed' }).waitFor();
    await until('the bot to have the other version', async () => (await getBot(host, bot.bot_id)).version === '1.1.0');
    await page.getByRole('link', { name: /^Versions/ }).click();
    await page.getByRole('button', { name: 'Remove version 1.0.0' }).click();
    await page.getByRole('button', { name: 'Remove the version' }).click();
    // Behind the question nothing can be found by its role: that it is gone is seen once the question is.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '1.0.0' }).waitFor({ state: 'detached' });
    expect((await host.fetch('/api/v1/custom-bots/grid-trader?version=1.0.0')).status).toBe(404);
  });
});
