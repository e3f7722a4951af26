import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import type { AlarmChannel } from '../../../src/contract/alarms.ts';
import { AlarmReceiver } from '../../support/alarm-receiver.ts';
import { openDashboard } from '../../support/browser.ts';
import { testHost } from '../../support/platform.ts';
import { call, deployTiny } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

it('leads from an empty install to the first test message with the page alone', async ({ onTestFinished }) => {
  const receiver = await AlarmReceiver.start((end) => onTestFinished(end));
  const host = await testHost(onTestFinished);
  const page = await openDashboard(host, onTestFinished, { path: '/' });
  await page.getByRole('link', { name: /^Alarms/ }).click();
  await page.getByText('There are no channels').waitFor();
  await page.getByRole('button', { name: 'Add channel' }).click();
  await page.getByLabel('Kind').selectOption('webhook');
  await page.getByRole('dialog').getByLabel('Address').fill(`${receiver.url}/in`);
  await page.getByRole('button', { name: 'Add and send a test' }).click();
  await page.getByText('The test message was sent to').waitFor();
  expect(receiver.bodies[0]).toMatchObject({ title: 'This is a test of your alarms' });
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('cell', { name: 'Works', exact: true }).waitFor();
  await page.getByRole('switch', { name: /when the machine of the host has slept/ }).click();
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('dialog').getByLabel('When', { exact: true }).selectOption('silent');
  await page.getByLabel('For how many minutes').fill('30');
  await page.getByRole('dialog').getByRole('button', { name: 'Add rule' }).click();
  await page.getByText('when a bot prints nothing for 30 min').waitFor();
  await page.reload();
  await page.getByText('Tell me over all channels when the machine of the host has slept; switched off.').waitFor();
});

it('edits a channel, mutes, has the host watched, and tells of a failure from the page of its bot', async ({
  onTestFinished,
}) => {
  const receiver = await AlarmReceiver.start((end) => onTestFinished(end));
  const host = await testHost(onTestFinished);
  const settings = { url: `${receiver.url}/old`, secret: 'a secret of the tests' };
  const { channel_id } = await call<AlarmChannel>(host, 'POST', '/api/v1/alarms/channels', {
    ...{ name: 'ops', kind: 'webhook', settings },
  });
  await call(host, 'POST', `/api/v1/alarms/channels/${channel_id}/test`);
  const { bot_id } = await deployTiny(host, { name: 'fails', type: 'scheduled', bot: 'process.exit(3)' });
  await call(host, 'POST', `/api/v1/bots/${bot_id}/run`);
  await until('the message', () => receiver.bodies.some(({ title }) => title === 'fails failed'));
  const page = await openDashboard(host, onTestFinished, { path: '/settings/alarms' });
  await page.getByRole('button', { name: 'Edit ops' }).click();
  await page.getByRole('dialog').getByLabel('Address').fill(`${receiver.url}/new`);
  await page.getByRole('button', { name: 'Save and send a test' }).click();
  await page.getByText('The test message was sent to').waitFor();
  // The signing secret was left empty and stays.
  const last = receiver.received.at(-1);
  const signed = `${last?.headers['x-platform-timestamp']}.${last?.headers['x-platform-id']}.${last?.body}`;
  expect([last?.path, last?.headers['x-platform-signature']]).toEqual([
    '/new',
    `v1=${createHmac('sha256', settings.secret).update(signed).digest('hex')}`,
  ]);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByLabel('Mute', { exact: true }).selectOption({ label: 'fails' });
  await page.getByRole('button', { name: 'Mute', exact: true }).click();
  await page.getByRole('button', { name: 'End the mute of fails' }).click();
  await page.getByText('Nothing is muted.').waitFor();
  await page.getByLabel('Address').fill(`${receiver.url}/watch/secret-id`);
  await page.getByRole('button', { name: 'Start calling' }).click();
  await until('the call', () => receiver.received.some(({ path }) => path === '/watch/secret-id'));
  await page.getByRole('button', { name: 'End the calls' }).click();
  await page.getByText('The host calls no service.').waitFor();
  await page.goto(`${host.url}/bots/${bot_id}`);
  await page.getByText('Who was told').waitFor();
  await page.getByText(/^ops: sent/).waitFor();
  await page.getByRole('button', { name: 'Tell me when…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Add rule' }).click();
  await page.getByText('Tell me over all channels when a bot fails, for fails.').waitFor();
});
