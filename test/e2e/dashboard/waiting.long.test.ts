import { expect, it } from 'vitest';
import type { UpdatedBot } from '../../../src/contract/bot.ts';
import { openDashboard } from '../../support/browser.ts';
import { Fault } from '../../support/fault.ts';
import { arm, confirm, keyOf, liveHost, PIN, running } from '../../support/live-bot.ts';
import { botUntil, getBot, publish } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const TINY = {
  name: 'trades',
  bot: 'setInterval(() => {}, 1000);',
  schema: { type: 'object', properties: { key: { type: 'string' }, fast: { type: 'integer', default: 5 } } },
};

it('counts what a key asked for, shows it, and has a person approve it by the keyboard alone, or reject it', async ({
  onTestFinished,
}) => {
  const { host, id, at, confirmed } = await liveHost(onTestFinished, TINY, { config: { key: { $secret: 'LIVE' } } });
  await publish(host, { ...TINY, version: '1.0.1' });
  const { asKey } = await keyOf(host, 'builder', confirmed);
  const page = await openDashboard(host, onTestFinished, { path: '/' });
  // A bot that waits to be armed counts as well.
  const link = page.getByRole('link', { name: 'Waiting for you 1' });
  await link.click();
  await page.getByRole('region', { name: 'To be armed' }).getByRole('link', { name: 'trades' }).waitFor();
  await arm(host, id, confirmed);
  const before = await running(host, id);
  await page.getByText('Nothing waits for you').waitFor();
  expect(await link.count()).toBe(0);

  const asked = await asKey<UpdatedBot>('PATCH', at, { version: '1.0.1', config_patch: { fast: 8 } });
  expect(asked.body.outcome).toBe('waiting');
  const change = page.getByRole('region', { name: 'trades' });
  await change.getByText('key builder').waitFor();
  await change.getByText('LIVE', { exact: true }).waitFor();
  await change.getByText('config.fast').waitFor();
  const rows = await change.getByRole('listitem').allInnerTexts();
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())).toEqual([
    'version from 1.0.0 → to 1.0.1',
    'config.fast from 5 → to 8',
  ]);
  // Through both questions without a mouse.
  const approve = change.getByRole('button', { name: 'Approve…' });
  await approve.focus();
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog', { name: 'Change trades?' });
  await question.getByRole('button', { name: 'Approve' }).focus();
  await page.keyboard.press('Enter');
  const pin = page.getByRole('dialog', { name: 'Enter your PIN' });
  await pin.getByLabel('PIN').waitFor();
  expect((await getBot(host, id)).version).toBe('1.0.0');
  await page.keyboard.type(PIN);
  await page.keyboard.press('Enter');
  await page.getByText('trades is changed').waitFor();
  await page.getByText('Nothing waits for you').waitFor();
  await botUntil(
    host,
    id,
    'running the change',
    ({ version, status, run_id }) => version === '1.0.1' && status === 'running' && run_id !== before.run_id,
  );

  await asKey('PATCH', at, { version: '1.0.0' });
  await change.getByRole('button', { name: 'Reject…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reject' }).click();
  await page.getByText('trades stays as it is').waitFor();
  await page.getByText('Nothing waits for you').waitFor();
  expect(await getBot(host, id)).toMatchObject({ version: '1.0.1', approval: null });
});

it('has Start on the page of a bot whose host was killed between its arming and its start', async ({
  onTestFinished,
}) => {
  const { host, id } = await liveHost(onTestFinished, TINY, { config: { key: { $secret: 'LIVE' } } });
  const fault = new Fault();
  await host.stop();
  host.env = { ...host.env, ...fault.env };
  await host.start();
  const confirmed = await confirm(host);
  fault.set('arm:recorded');
  await expect(arm(host, id, confirmed)).rejects.toThrow();
  await until('the end of the host', () => host.isGone());
  fault.set(null);
  await host.start();
  // Armed, and stopped for a reason that holds no more.
  expect(await getBot(host, id)).toMatchObject({
    ...{ enabled: false, status: 'stopped', reason: { code: 'NEEDS_ARMING' } },
    arming: { state: 'armed' },
  });

  const page = await openDashboard(host, onTestFinished, { path: `/bots/${id}` });
  await page.getByRole('heading', { name: 'trades' }).waitFor();
  const start = page.getByRole('button', { name: 'Start', exact: true });
  await start.waitFor();
  expect(await page.getByText('nobody has armed it').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Arm…' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: /^Waiting for you/ }).count()).toBe(0);
  await start.click();
  await running(host, id);
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
});

it('says why it cannot show the bots that wait, and shows them once the host answers', async ({ onTestFinished }) => {
  const { host } = await liveHost(onTestFinished, TINY, { config: { key: { $secret: 'LIVE' } } });
  const page = await openDashboard(host, onTestFinished, { path: '/' });
  const link = { isFailing: true };
  const error = {
    code: 'INTERNAL',
    message: 'The bots cannot be read',
    hint: null,
    details: null,
    request_id: 'req_1',
  };
  await page.routeWebSocket('**/api/v1/socket', (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const { id, call }: { readonly id: number; readonly call?: string } = JSON.parse(String(text));
      if (link.isFailing && call === 'bots.list') socket.send(JSON.stringify({ id, error }));
      else server.send(text);
    });
  });
  await page.goto(new URL('/waiting', host.url).href);
  const note = page.getByRole('alert').filter({ hasText: error.message });
  await note.waitFor();
  // Neither that nothing waits nor that it is still looked for.
  expect(await page.getByText('Nothing waits for you').count()).toBe(0);
  expect(await page.getByLabel('Loading what waits for you').count()).toBe(0);
  link.isFailing = false;
  await page.getByRole('region', { name: 'To be armed' }).getByRole('link', { name: 'trades' }).waitFor();
  await note.waitFor({ state: 'detached' });
});
