import { realpathSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDashboard } from '../../support/browser.ts';
import { testHost } from '../../support/platform.ts';

it.runIf(process.platform !== 'win32')(
  'an owner allows an interpreter on the page of the engines, sees which file it is, and takes it back',
  async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const page = await openDashboard(host, onTestFinished);
    await page.goto(`${host.url}/settings/engines`);
    await page.getByText('Packages may name none.').waitFor();

    const allow = page.getByRole('button', { name: 'Allow an interpreter' });
    const dialog = page.getByRole('dialog');
    await allow.click();
    await dialog.getByLabel('Name').fill('bash');
    await dialog.getByLabel('File').fill('bin/bash');
    await dialog.getByRole('button', { name: 'Allow it' }).click();
    await dialog.getByText('bin/bash is not a plain absolute path').waitFor();
    await dialog.getByLabel('File').fill('');
    await dialog.getByRole('button', { name: 'Allow it' }).click();
    await page.getByRole('cell', { name: realpathSync('/bin/bash') }).waitFor();
    expect((await host.json('interpreters', 'list')).items).toMatchObject([{ name: 'bash', on_machine: true }]);

    await page.getByRole('button', { name: 'Remove bash' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('Packages may name none.').waitFor();
    expect((await host.json('interpreters', 'list')).items).toEqual([]);
  },
);
