import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addReadyView, type ReadyView } from '../../../src/project/ready-view.ts';
import { openDashboard } from '../../support/browser.ts';
import { ROOT, testHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { deployTiny, tell } from '../../support/tiny-bot.ts';

const TELLING = `
import { existsSync } from 'node:fs';
import { metric, state } from '@bot-platform/sdk';
metric('price', { symbol: 'AAPL', value: 190.5 });
metric('price', { symbol: 'AAPL', value: 192 });
metric('sma', { symbol: 'AAPL', short_sma: 189, long_sma: 188 });
metric('sma', { symbol: 'AAPL', short_sma: 191, long_sma: 188.5 });
metric('signal', { type: 'BUY', symbol: 'AAPL', price: 192, reason: 'it crossed' });
state.set('kept', { deep: [1, 2] });
const waiting = setInterval(() => {
  if (!existsSync(process.env.STATE_DIR + '/more')) return;
  metric('price', { symbol: 'AAPL', value: 201.25 });
  clearInterval(waiting);
}, 100);
setInterval(() => {}, 60_000);
`;
const QUERY = `
import { query } from '@bot-platform/sdk';
import { parse } from '@bot-platform/sdk';
query.handler('/echo', ({ params }) => ({ said: params.word }));
query.handler('/secret', () => ({ key: parse().config.api_key }));
query.run();
`;

function readyView(view: ReadyView): string {
  const dir = tempDir('view-');
  addReadyView(dir, view, join(ROOT, 'resources'));
  return readFileSync(join(dir, 'view/index.html'), 'utf8');
}

it('shows the ready view of a crossover, which follows the bot and the theme', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const { bot_id } = await deployTiny(host, { name: 'telling', bot: TELLING, view: readyView('crossover') });
  const page = await openDashboard(host, onTestFinished, { path: `/bots/${bot_id}` });
  const tabs = page.getByRole('navigation', { name: 'Tabs of' });
  // It stands before all others, and runs only once it is chosen.
  await tabs.getByRole('link', { name: 'View', exact: true }).waitFor();
  expect(await tabs.getByRole('link').first().textContent()).toBe('View');
  expect(await page.locator('iframe').count()).toBe(0);
  await tabs.getByRole('link', { name: 'View', exact: true }).click();
  const view = page.frameLocator('iframe');
  await view.locator('#price').filter({ hasText: '192' }).waitFor();
  expect(await view.locator('#short').textContent()).toBe('191');
  await view.getByRole('cell', { name: 'it crossed' }).waitFor();
  await view.getByRole('img', { name: 'AAPL from 188 to 192; signals: 1' }).waitFor();
  tell(host, bot_id, 'more');
  await view.locator('#price').filter({ hasText: '201.25' }).waitFor();
  const background = () => view.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  expect(await background()).toBe('rgb(22, 25, 29)');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(background).toBe('rgb(255, 255, 255)');
});

it('lets a view read its bot by every function, with secrets masked', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const SECRET = 'hunter2-hunter2-hunter2';
  const script = readFileSync(join(ROOT, 'resources/sdk/view/view.js'), 'utf8');
  const view = `<!doctype html><pre id="said"></pre><script>${script}</script><script>
(async () => {
  const all = {
    id: await bot.ready,
    metrics: (await bot.metrics()).map(({ type, data }) => [type, data.value ?? null]),
    newest: (await bot.metrics('price', 1)).map(({ data }) => data.value),
    series: (await bot.series('price', 'value', { symbol: 'AAPL' })).last,
    events: (await bot.events({ type: 'price' })).map(({ seq, data }) => [typeof seq, data.value]),
    keys: (await bot.state()).map(({ key }) => key).sort(),
    kept: await bot.state('kept'),
    secret: await bot.state('secret'),
    asked: await bot.query('/echo', { word: 'hello' }),
    leaked: await bot.query('/secret'),
    books: await bot.ledger(),
    missing: await bot.state('none').catch(({ message }) => message),
    refused: await bot.series('price').catch(({ message }) => message),
    theme: bot.theme,
  };
  said.textContent = JSON.stringify(all);
})().catch((error) => { said.textContent = String(error); });
</script>`;
  const { bot_id } = await deployTiny(
    host,
    {
      name: 'telling',
      bot: `import { parse } from '@bot-platform/sdk';\n${TELLING}\nstate.set('secret', parse().config.api_key);`,
      query: QUERY,
      schema: { type: 'object', properties: { api_key: { type: 'string', format: 'password' } } },
      view,
    },
    { config: { api_key: SECRET } },
  );
  const page = await openDashboard(host, onTestFinished, { path: `/bots/${bot_id}/view` });
  const said = page.frameLocator('iframe').locator('#said');
  await said.filter({ hasText: /./ }).waitFor();
  const text = (await said.textContent()) ?? '';
  expect(text).not.toContain(SECRET);
  expect(JSON.parse(text)).toMatchObject({
    id: bot_id,
    newest: [192],
    series: [190.5, 192],
    events: [
      ['number', 190.5],
      ['number', 192],
    ],
    keys: ['kept', 'secret'],
    kept: { deep: [1, 2] },
    asked: { said: 'hello' },
    books: [{ mode: 'unverified', positions: [] }],
    missing: expect.stringContaining('STATE_KEY_NOT_FOUND'),
    refused: expect.stringContaining('INVALID_REQUEST'),
    theme: 'dark',
  });
});

it('opens a page of the web after a yes, and asks no more after a no', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const { url } = host;
  const view = `<!doctype html><button>Ask</button><p id="said"></p><script>
let asked = 0;
addEventListener('message', ({ data }) => { if (data.id !== undefined) said.textContent += data.error === undefined ? 'opened ' : 'refused '; });
document.querySelector('button').onclick = () => {
  asked += 1;
  parent.postMessage({ jsonrpc: '2.0', id: asked, method: 'ui/open-link', params: { url: '${url}/healthz?asked=' + asked } }, '*');
};
</script>`;
  const { bot_id } = await deployTiny(host, { name: 'linking', type: 'scheduled', bot: TELLING, view });
  const page = await openDashboard(host, onTestFinished, { path: `/bots/${bot_id}/view` });
  const frame = page.frameLocator('iframe');
  const question = page.getByRole('alertdialog', { name: 'Open a page of the web?' });
  await frame.getByRole('button').click();
  await question.getByText(`${url}/healthz?asked=1`).waitFor();
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    question.getByRole('button', { name: 'Open the page' }).click(),
  ]);
  expect(opened.url()).toBe(`${url}/healthz?asked=1`);
  expect(await opened.evaluate('opener')).toBeNull();
  await opened.close();
  await frame.getByRole('button').click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await frame.getByRole('button').click();
  await frame.getByText('opened refused refused').waitFor();
  expect(await question.count()).toBe(0);
});
