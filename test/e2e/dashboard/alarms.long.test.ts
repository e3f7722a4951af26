import { expect, it } from 'vitest';
import { AlarmReceiver } from '../../support/alarm-receiver.ts';
import { openDashboard } from '../../support/browser.ts';
import { testHost } from '../../support/platform.ts';

it('leads from an empty install to the first test message with the page alone', async ({ onTestFinished }) => {
  const receiver = await AlarmReceiver.start((end) => onTestFinished(end));
  const host = await testHost(onTestFinished);
  const page = await openDashboard(host, onTestFinished, { path: '/' });
  await page.getByRole('link', { name: /^Alarms/ }).click();
  await page.getByText('There are no channels').waitFor();
  await page.getByRole('button', { name: 'Add channel' }).click();
  await page.getByLabel('Kind').selectOption('webhook');
  await page.getByLabel('Address').fill(`${receiver.url}/in`);
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
