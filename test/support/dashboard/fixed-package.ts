import type { Page } from 'playwright-core';
import type { PackagePreview } from '../../../src/contract/custom-bot.ts';
import { CUSTOM_BOT, versionOf } from './fixed-catalog.ts';

const { created_at: _, ...newest } = versionOf(CUSTOM_BOT, '1.2.0');
const facts = (size_bytes: number) => ({ size_bytes, executable: false });

/** A package of the fixed world that can be published. */
const PREVIEW: PackagePreview = {
  custom_bot: {
    ...newest,
    version: '1.3.0',
    hash: '130'.padEnd(64, 'b'),
    install_sheet: {
      ...newest.install_sheet,
      since: '1.2.0',
      added: ['network: query1.finance.yahoo.com, port 443, with TLS'],
      removed: ['memory: 300 MB'],
    },
  },
  published: false,
  changes: {
    from: '1.2.0',
    items: [
      { path: 'bot-config.yaml', kind: 'changed', before: facts(512), after: facts(540) },
      {
        path: 'src/a-file-with-a-long-name-in-a-folder/that-goes-on/averages.mjs',
        kind: 'added',
        before: null,
        after: facts(2210),
      },
      { path: 'src/old.mjs', kind: 'removed', before: facts(1890), after: null },
    ],
    total: 3,
    settings: [
      { name: 'short_period', kind: 'changed', what: ['range: 2 to 60 → 2 to 90'] },
      { name: 'stop_loss', kind: 'added', what: [] },
    ],
  },
  warnings: [
    {
      file: '.env',
      line: 1,
      column: 1,
      message: 'is not in the package',
      hint: 'Packages leave such names out; see .platformignore.',
    },
  ],
};

const REFUSED = {
  error: {
    code: 'VERSION_EXISTS',
    message: 'Version 1.2.0 of "sma-crossover" was published before, with other content',
    hint: 'Versions never change. Raise the version in bot-config.yaml, for example: version: "1.2.1"',
    details: null,
    request_id: 'req_01kxyz',
  },
};

/** Chooses a package on the page of custom bots; it is shown, or refused. */
export const choosePackage = (isRefused: boolean) => async (page: Page) => {
  const address = '**/api/v1/custom-bots/inspect';
  await page.route(address, (route) =>
    isRefused ? route.fulfill({ status: 409, json: REFUSED }) : route.fulfill({ json: PREVIEW }),
  );
  const file = { name: 'sma-crossover.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') };
  await page.getByLabel('Package to publish').setInputFiles(file);
  await page.getByRole('button', { name: isRefused ? 'Close' : 'Cancel' }).waitFor();
  await page.unroute(address);
};
