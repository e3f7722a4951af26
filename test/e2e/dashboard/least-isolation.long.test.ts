import { expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { barriers } from '../../support/dashboard/barriers.ts';
import { TestHost, testHost } from '../../support/platform.ts';
import { deployTiny, getBot } from '../../support/tiny-bot.ts';

const THEMES = ['dark', 'light'] as const;

it('marks bots that run with less isolation than the host demands, and offers no engine that it refuses', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const bot = await deployTiny(host, { name: 'old', bot: 'setInterval(() => {}, 1000);' });
  await host.kill();
  host.engine = 'docker';
  host.env = { DOCKER_HOST: 'unix:///none/docker.sock' };
  await host.start();

  const page = await openDashboard(host, onTestFinished);
  const row = page.getByRole('row').filter({ hasText: 'old' });
  await row.getByText('Less isolated than this host demands').waitFor({ state: 'attached' });
  const check = async (name: string): Promise<void> => {
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      expect(await barriers(page), `${name} ${colorScheme}`).toEqual([]);
    }
  };
  await check('fleet');

  await page.goto(`${host.url}/deploy?custom_bot=old`);
  await page.getByText('As the host does it, with no limits of its own').click();
  await page.getByText('Other engines isolate less than this host demands.').waitFor();
  const offered = () => page.getByRole('combobox', { name: 'Engine' }).locator('option').allInnerTexts();
  expect(await offered()).toEqual(['Not set', 'docker']);
  // It is said before the button is pressed.
  await page.getByText('No bot can be deployed or started: this host demands isolation "container"').waitFor();
  await check('deploy');

  await page.goto(`${host.url}/bots/${bot.bot_id}/settings`);
  await page.getByText('It runs on engine process, with less isolation').waitFor();
  await expect.poll(offered).toEqual(['As it is: process', 'Docker (not available)', 'Local processes']);
  await check('settings');

  expect(await host.json('isolation', 'list')).toMatchObject({
    least_isolation: 'container',
    items: [{ bot_id: bot.bot_id, name: 'old', user: 'owner' }],
  });
  // Nothing moves to an engine that does not answer: the bot goes on, and stays an exception.
  const ended = await host.cli('isolation', 'end', 'old', '-y');
  expect([ended.code, ended.stderr]).toEqual([6, expect.stringContaining('Engine docker cannot be used')]);
  expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'running', engine: 'process' });
  expect((await host.cli('isolation', 'end', 'none', '-y')).code).toBe(4);
});

it('says on the welcome why the sample cannot be deployed', async ({ onTestFinished }) => {
  const host = new TestHost();
  host.engine = 'docker';
  host.env = { DOCKER_HOST: 'unix:///none/docker.sock' };
  onTestFinished(() => host.stop());
  await host.start();
  const page = await openDashboard(host, onTestFinished);
  expect(await page.getByRole('button', { name: 'Deploy the sample bot' }).isDisabled()).toBe(true);
  await page.getByText(/Engine docker cannot be used.*Start Docker/).waitFor();
});
