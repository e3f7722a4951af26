import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, it, type TestContext } from 'vitest';
import { browser, CHROMIUM, openDashboard, SAFE } from '../support/browser.ts';
import { ATTEMPTS, type Attempt, DEPARTURES, documentOf, tracesOf } from '../support/hostile-views.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { openSink } from '../support/sink.ts';
import { tempDir } from '../support/temp.ts';
import { call, deployTiny, getBot } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const IDLE = 'setInterval(() => {}, 60_000);\n';
/** Whatever the page and its policy refuse is said in the console. */
const REFUSALS = [/./];
type Finished = TestContext['onTestFinished'];

/**
 * A browser as people have it, which connects ahead of need: in the windows of other tests, which keep nothing, it does not.
 * Its log has everything that its network service did, lookups of names among it, and is whole once the browser has ended.
 */
async function usualBrowser(onTestFinished: Finished) {
  const dir = tempDir('usual-browser-');
  const log = join(dir, 'net.json');
  const context = await chromium.launchPersistentContext(join(dir, 'profile'), {
    executablePath: CHROMIUM ?? '',
    args: [...SAFE, `--log-net-log=${log}`, '--host-resolver-rules=MAP *.tls.test 127.0.0.1'],
  });
  onTestFinished(() => context.close());
  return {
    context,
    async end(): Promise<string> {
      await context.close();
      return readFileSync(log, 'utf8');
    },
  };
}

/** Deploys a bot with this view, and opens the tab with it. */
async function openView(host: TestHost, onTestFinished: Finished, view: string, name = 'hostile'): Promise<Page> {
  const { bot_id } = await deployTiny(host, { name, type: 'scheduled', bot: IDLE, view });
  return openDashboard(host, onTestFinished, { path: `/bots/${bot_id}/view`, expected: REFUSALS });
}

/** Serves documents as any web server does, with nothing that holds them. */
async function openServer(onTestFinished: Finished, documents: readonly string[]): Promise<string> {
  const server = createServer((request, response) => {
    const document = documents[Number(request.url?.slice(1))];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(document);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Shows documents where nothing holds them, each in a page of its own, until these attempts have got out of them. */
async function showFreely(
  context: BrowserContext,
  onTestFinished: Finished,
  run: string,
  awaited: readonly Attempt[],
): Promise<void> {
  const sink = await openSink(onTestFinished);
  const documents = documentsOf(run, sink.port);
  const server = await openServer(onTestFinished, documents);
  const pages = await Promise.all(documents.map(() => context.newPage()));
  for (const [at, page] of pages.entries()) {
    // A document that leaves at once is gone before it has loaded.
    await page.goto(`${server}/${at}`, { waitUntil: 'commit' }).catch(() => undefined);
  }
  const missing = (): string[] => {
    const arrived = sink.received.join('\n');
    const traces = tracesOf(awaited, run, arrived);
    if (arrived.includes('UDP')) traces.push(...awaited.filter(({ sign }) => sign === 'UDP').map(({ name }) => name));
    return awaited.filter(({ name, sign }) => sign !== 'name' && !traces.includes(name)).map(({ name }) => name);
  };
  await until(
    `the attempts of ${run}`,
    () => missing().length === 0,
    90_000,
    async () => missing().join(', '),
  );
  for (const page of pages) await page.close();
}

const ALL = [...ATTEMPTS, ...DEPARTURES];
const WORKING = ALL.filter(({ works }) => works);
/** These take the frame to an error page, so that the view is stopped. */
const MUST_LEAVE = /^(?:location|location-by-name|refresh|open-self|link)$/;
/** Enough to know that time has passed: those that leave early and those that leave last. */
const LATE = WORKING.filter(({ name }) => /^(?:fetch|websocket|preconnect|rtc|location|link)$/.test(name));
const documentsOf = (run: string, port: number): string[] => [
  documentOf(ATTEMPTS, port, run),
  ...DEPARTURES.map((one) => documentOf([one], port, run)),
];

it('reaches no server and has no name looked up, whatever it tries', async ({ onTestFinished }) => {
  const { context, end } = await usualBrowser(onTestFinished);
  // An attempt that gets nowhere without a cage would show nothing.
  await showFreely(context, onTestFinished, 'free', WORKING);
  const sink = await openSink(onTestFinished);
  const host = await testHost(onTestFinished);
  const link = await call<{ url: string }>(host, 'POST', '/api/v1/auth/link', {});
  const page = await context.newPage();
  await page.goto(link.url);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  for (const [at, view] of documentsOf('caged', sink.port).entries()) {
    const { bot_id } = await deployTiny(host, { name: `hostile-${at}`, type: 'scheduled', bot: IDLE, view });
    await page.goto(`${host.url}/bots/${bot_id}/view`);
    await Promise.race([
      page.frameLocator('iframe').getByText('tried', { exact: true }).waitFor(),
      page.getByText('The view was stopped.').waitFor(),
    ]);
    // A view that goes elsewhere needs a moment for it; then it does not answer any more.
    if (at > 0 && MUST_LEAVE.test(DEPARTURES[at - 1]?.name ?? ''))
      await page.getByText('The view was stopped.').waitFor();
  }
  // Time in which others get out, of the document and by going elsewhere.
  await showFreely(context, onTestFinished, 'late', LATE);
  const log = await end();
  expect(sink.received).toEqual([]);
  expect(tracesOf(ALL, 'caged', log)).toEqual([]);
  const byName = WORKING.filter(({ sign }) => sign === 'name');
  expect(tracesOf(byName, 'free', log)).toEqual(byName.map(({ name }) => name));
});

/** The text that a view has written into its element `said`, once there is one. */
const saidBy = async (page: Page): Promise<string> => {
  const said = page.frameLocator('iframe').locator('#said');
  await said.filter({ hasText: /./ }).waitFor();
  return (await said.textContent()) ?? '';
};

it('reaches nothing of the page around it, and keeps nothing in the browser', async ({ onTestFinished }) => {
  const view = `<!doctype html><p id="said"></p><script>
const attempts = {
  document: () => parent.document.body.innerHTML,
  top: () => top.document.title,
  storage: () => localStorage.length,
  session: () => sessionStorage.length,
  parentStorage: () => parent.localStorage.length,
  cookies: () => document.cookie,
  database: () => indexedDB.open('x'),
  opener: () => opener.document,
  frame: () => frameElement.className,
  name: () => parent.name,
  sibling: () => parent.frames[0].parent.document,
  page: () => window.open('/', 'x').document,
  print: () => { print(); throw new Error('was let through without a word'); },
};
const got = Object.entries(attempts).flatMap(([name, attempt]) => {
  try { return attempt() === null ? [] : [name]; } catch (error) { return []; }
});
document.getElementById('said').textContent = 'got: ' + got.join();
</script>`;
  const page = await openView(await testHost(onTestFinished), onTestFinished, view);
  expect(await saidBy(page)).toBe('got: ');
});

it('covers nothing of the page, and has the keyboard of no window of it', async ({ onTestFinished }) => {
  const view = `<!doctype html><style>html, form { position: fixed; inset: -500px; z-index: 2147483647; background: red; width: 9000px; height: 9000px }</style>
<form><label>Enter your PIN <input id="pin"></label></form><dialog id="over">over everything</dialog>
<script>
const post = (method, params) => parent.postMessage({ jsonrpc: '2.0', method, params }, '*');
over.showModal();
over.popover = 'manual';
try { over.showPopover(); } catch { over.title = 'no'; }
document.documentElement.requestFullscreen().catch(() => undefined);
post('ui/notifications/size-changed', { width: 9000, height: 9000 });
const take = () => { over.close(); window.focus(); pin.focus(); };
addEventListener('keydown', ({ key }) => console.log('heard ' + key), true);
setInterval(take, 20);
</script>`;
  const host = await testHost(onTestFinished);
  const page = await openView(host, onTestFinished, view);
  const input = page.frameLocator('iframe').getByLabel('Enter your PIN');
  await input.waitFor();
  const bar = page.getByText('Drawn by the bot,');
  const seen = await bar.boundingBox();
  const [x, y] = [(seen?.x ?? 0) + (seen?.width ?? 0) / 2, (seen?.y ?? 0) + (seen?.height ?? 0) / 2];
  expect(await page.evaluate(`document.elementFromPoint(${x}, ${y}).textContent`)).toContain('Drawn by the bot,');
  const below = await page.locator('iframe').boundingBox();
  expect((seen?.y ?? 0) + (seen?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  expect(await page.evaluate('document.fullscreenElement')).toBeNull();
  // Where nothing else is open a view may take the keyboard: it tries, so the rest of this test shows something.
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
  await page.getByRole('button', { name: 'Actions for' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  await dialog.waitFor();
  const heard: string[] = [];
  page.on('console', (message) => heard.push(message.text()));
  await page.keyboard.type('4815162342', { delay: 40 });
  expect(heard.filter((text) => text.startsWith('heard'))).toEqual([]);
  await page.keyboard.press('Escape');
  // And where nothing is open any more, it hears again.
  await input.waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('IFRAME');
  await page.keyboard.type('12');
  await expect.poll(() => heard).toContain('heard 2');
});

it.for([
  ['never ends', 'for (;;);', 'has not answered for three seconds'],
  [
    'never ends in a promise',
    'const turn = () => Promise.resolve().then(turn); turn();',
    'has not answered for three seconds',
  ],
  [
    'floods the page',
    'for (let at = 0; at < 20_000; at += 1) parent.postMessage({ jsonrpc: "2.0", id: at, method: "ping" }, "*");',
    'more messages than',
  ],
  [
    'floods it slowly',
    'setInterval(() => { for (let at = 0; at < 50; at += 1) parent.postMessage({}, "*"); }, 50);',
    'more messages than',
  ],
  [
    'sends messages without end',
    'const it = "x".repeat(30_000_000); for (let at = 0; at < 5; at += 1) parent.postMessage({ it }, "*");',
    'more messages than',
  ],
  ['loads itself again', 'setTimeout(() => location.reload(), 200);', 'The view was stopped.'],
  [
    'goes to the page of the host',
    'setTimeout(() => { location.href = parent.location === null ? "" : "/bots"; }, 200);',
    'The view was stopped.',
  ],
])('is stopped when it %s, and the page goes on', async ([, code, reason], { onTestFinished }) => {
  const view = `<!doctype html><p>begun</p><script>setTimeout(() => { ${code} }, 50)</script>`;
  const page = await openView(await testHost(onTestFinished), onTestFinished, view);
  await page.getByText(reason ?? '').waitFor();
  await page.getByText('Newest lines').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  await page.getByRole('button', { name: 'Show it again' }).click();
  await page.getByText('Drawn by the bot,').waitFor();
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByText('It has not run yet').waitFor();
});

it('changes nothing, whatever it calls, and reads no other bot', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const other = await deployTiny(host, { name: 'other', bot: IDLE });
  const view = `<!doctype html><p id="said"></p><script>
const calls = ['bot_stop', 'bots.stop', 'bot_delete', 'bots.delete', 'bot_update', 'state.set', 'keys.create', 'custom_bots.publish', 'auth.status'];
const others = ['bot_state_list', 'metrics_get', 'ledger_get', 'metrics_events'];
const requests = [
  ...calls.map((name) => ['tools/call', { name, arguments: { key: 'a', value: 1 } }]),
  ...calls.map((name) => [name, {}]),
  ...others.map((name) => ['tools/call', { name, arguments: { bot_id: '${other.bot_id}' } }]),
  ['tools/call', { name: 'bot_query', arguments: { query_path: '/../../${other.bot_id}/query' } }],
  ['resources/read', { uri: 'platform://bots/${other.bot_id}' }],
];
const answers = [];
addEventListener('message', ({ data }) => {
  if (data.id === undefined) return;
  answers.push(data.error !== undefined || data.result.isError === true);
  if (answers.length === requests.length) said.textContent = answers.every(Boolean) ? 'all refused' : JSON.stringify(answers);
});
requests.forEach(([method, params], id) => parent.postMessage({ jsonrpc: '2.0', id, method, params }, '*'));
</script>`;
  const mine = await deployTiny(host, { name: 'mine', bot: IDLE, view });
  const page = await openDashboard(host, onTestFinished, { path: `/bots/${mine.bot_id}/view` });
  expect(await saidBy(page)).toBe('all refused');
  for (const { bot_id, generation } of [mine, other]) {
    expect(await getBot(host, bot_id)).toMatchObject({ enabled: true, generation });
  }
});

it('is a page with a sentence when it is opened by itself, and takes a view from nobody else', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const answer = await host.fetch('/view');
  expect(answer.headers.get('content-security-policy')).toContain('sandbox allow-scripts;');
  const context = await (await browser()).newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${host.url}/view`);
  await page.getByText('Open the page of a bot in the dashboard').waitFor();
  expect(await page.evaluate('origin')).toBe('null');
  const server = await openServer(onTestFinished, [
    `<!doctype html><iframe sandbox="allow-scripts" src="${host.url}/view"></iframe><p id="loaded"></p><script>
const html = '<p>not ours</p>';
const message = { method: 'ui/notifications/sandbox-resource-ready', params: { html } };
const other = open('${host.url}/view');
let rounds = 0;
const round = setInterval(() => {
  for (const to of [frames[0], other]) to.postMessage(message, '*', [new MessageChannel().port1]);
  rounds += 1;
  if (rounds === 20) { clearInterval(round); loaded.textContent = 'sent'; }
}, 50);
</script>`,
  ]);
  const around = await context.newPage();
  const [opened] = await Promise.all([context.waitForEvent('page'), around.goto(`${server}/0`)]);
  await around.getByText('sent').waitFor();
  await opened.getByText('Open the page of a bot in the dashboard').waitFor();
  expect(await opened.getByText('not ours').count()).toBe(0);
  // The host lets no other page stand around its cage.
  expect(await around.frameLocator('iframe').getByText('not ours').count()).toBe(0);
});
