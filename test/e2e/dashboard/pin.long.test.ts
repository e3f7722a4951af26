import { expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { testHost } from '../../support/platform.ts';
import { call, deployTiny } from '../../support/tiny-bot.ts';

const PIN = '4815162342';

it('has a PIN chosen when a guard is loosened first, and goes on', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const { bot_id } = await deployTiny(host, { name: 'idle', bot: 'setInterval(() => {}, 60_000);\n' });
  await call(host, 'PUT', `/api/v1/bots/${bot_id}/guards`, { kind: 'drawdown', limit: '5' });
  const page = await openDashboard(host, onTestFinished, { path: `/bots/${bot_id}/settings` });
  const remove = page.getByRole('button', { name: 'Remove Drawdown' });
  await remove.click();
  const dialog = page.getByRole('dialog', { name: 'Choose a PIN' });
  await dialog.getByLabel('New PIN', { exact: true }).fill('111111');
  await dialog.getByLabel('New PIN again').fill('111111');
  await dialog.getByRole('button', { name: 'Choose PIN' }).click();
  await dialog.getByText(/too easy to guess/).waitFor();
  await dialog.getByLabel('New PIN', { exact: true }).fill(PIN);
  await dialog.getByLabel('New PIN again').fill(PIN);
  await dialog.getByRole('button', { name: 'Choose PIN' }).click();
  await page.getByText('No guards yet.').waitFor();
  expect(await dialog.count()).toBe(0);
  // It counts for some minutes: nothing is asked again.
  await page.goto(`${host.url}/settings/account`);
  await page.getByText('Chosen', { exact: true }).waitFor();
});

it('asks for the PIN above a dialog that is open, which goes on or stays as it is', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  await call(host, 'PUT', '/api/v1/pin', { pin: PIN });
  const page = await openDashboard(host, onTestFinished, { path: '/settings/users' });
  await page.getByRole('button', { name: 'Add user' }).click();
  const form = page.getByRole('dialog', { name: 'Add a user' });
  await form.getByLabel('Name').fill('ann');
  await form.getByLabel('Password').fill('a long enough password');
  await form.getByRole('button', { name: 'Add user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Enter your PIN' });
  // Whoever closes the question closes nothing else.
  await dialog.getByLabel('PIN').press('Escape');
  await form.getByText('This needs your PIN').waitFor();
  // The focus is back where it was.
  const submit = form.getByRole('button', { name: 'Add user' });
  await expect.poll(() => submit.evaluate((button) => button === document.activeElement)).toBe(true);
  await form.getByRole('button', { name: 'Add user' }).click();
  await dialog.getByLabel('PIN').waitFor();
  // It has the focus, whatever lies below.
  await page.keyboard.type('no');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('The PIN is wrong').waitFor();
  await dialog.getByLabel('PIN').fill(PIN);
  await dialog.getByLabel('PIN').press('Enter');
  await page.getByText('ann was added').waitFor();
  await page.getByRole('cell', { name: 'ann', exact: true }).waitFor();
  await page.goto(`${host.url}/settings/account`);
  await page.getByRole('button', { name: 'Forgot your PIN?…' }).click();
  await page.getByRole('alertdialog').getByRole('textbox').fill('owner');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset PIN' }).click();
  await page.getByText(/None yet\. The host asks/).waitFor();
});
