import { renameSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { copiedHost } from '../../support/copied-host.ts';
import { barriers } from '../../support/dashboard/barriers.ts';
import { loggedIn } from '../../support/logged-in.ts';

it('says that its folder was copied, and starts the waiting bots once its owner says that it has moved', async ({
  onTestFinished,
}) => {
  const { original, copy } = await copiedHost(onTestFinished);
  const page = await openDashboard(copy, onTestFinished);
  const bar = page.getByRole('status').filter({ hasText: 'copied or moved' });
  await bar.getByText(`This data folder was copied or moved here from ${original.dataDir}.`).waitFor();
  await bar.getByText('1 bot waits, because it may still run there.').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'trader' });
  await row.getByText('Cannot start').filter({ visible: true }).waitFor();
  await row.getByText('may still run in the original').filter({ visible: true }).waitFor();
  await page.getByRole('button', { name: 'Failed 1' }).waitFor();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await barriers(page), colorScheme).toEqual([]);
  }

  // What the host would refuse cannot be asked for, and the page says why and what to do first.
  await page.getByRole('link', { name: 'trader' }).first().click();
  const start = page.getByRole('button', { name: 'Start', exact: true });
  await start.waitFor();
  expect(await start.isDisabled()).toBe(true);
  expect(await start.getAttribute('title')).toContain('Stop the host of the original first');
  await page.getByText('Then start all waiting bots here').waitFor();
  expect(await page.getByRole('heading', { name: 'What to do' }).count()).toBe(0);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await barriers(page), colorScheme).toEqual([]);
  }
  await page.goBack();

  const ann = await openDashboard(await loggedIn(copy, 'ann'), onTestFinished);
  await ann.getByText('The data folder of this host was copied or moved.').waitFor();
  expect(await ann.getByRole('button', { name: 'It has moved here' }).count()).toBe(0);
  expect(await ann.locator('body').innerText()).not.toContain(original.dataDir);

  // A host that runs on the original is in the way, and the question says so.
  await original.start();
  await page.getByRole('button', { name: 'It has moved here' }).click();
  const question = page.getByRole('alertdialog', { name: 'Start the waiting bots here?' });
  await question.getByRole('button', { name: 'Start them here' }).click();
  await question.getByText(`A host still runs on the original folder ${original.dataDir}`).waitFor();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await barriers(page), colorScheme).toEqual([]);
  }
  await original.stop();
  // The state of a missing folder is unknown, and the question says so.
  renameSync(original.dataDir, `${original.dataDir}-renamed`);
  await page.reload();
  await page.getByRole('button', { name: 'It has moved here' }).click();
  await question.getByText(`cannot tell whether another one runs on ${original.dataDir} (nothing lies there`).waitFor();
  await question.getByRole('button', { name: 'Start them here' }).click();
  await page.getByText('The folder belongs here now. 1 bot started.').waitFor();
  await bar.waitFor({ state: 'detached' });
  await page.getByRole('main').getByText('Running').first().waitFor();
  // The page of another user looks again by itself.
  await ann.getByText('The data folder of this host was copied or moved.').waitFor({ state: 'detached' });
});
