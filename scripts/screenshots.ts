// Makes the pictures of README.md and docs/ from a real host with real bots: `npm run screenshots`. Needs Chromium, Python
// and about two minutes, because the sample bots have to trade first.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';

const ROOT = resolve(import.meta.dirname, '..');
const IMAGES = join(ROOT, 'docs/images');
const OUT = join(ROOT, 'out/main');
const WATCHED_MS = 100_000;

const dataDir = mkdtempSync(join(tmpdir(), 'platform-pictures-'));
/** Not in the data folder: the editor opens nothing there. */
const projects = mkdtempSync(join(tmpdir(), 'bots-'));
const keys = mkdtempSync(join(tmpdir(), 'platform-keys-'));
const own = { PLATFORM_DATA_DIR: dataDir, PLATFORM_CONFIG_DIR: join(dataDir, 'client'), PLATFORM_KEY_FOLDER: keys };
const env = { ...process.env, ...own };

async function platform(...args: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [join(OUT, 'platform.js'), ...args], { env })).stdout;
}

function start(): Promise<{ child: ChildProcess; url: string }> {
  const args = [join(OUT, 'serve.js'), '--data', dataDir, '--port', '0', '--engine', 'process'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((done, fail) => {
    child.once('error', fail);
    createInterface({ input: child.stdout }).once('line', (line) => done({ child, url: JSON.parse(line).url }));
  });
}

/** A bot that fails, so that there is a failure to show. */
async function deployBroken(): Promise<string> {
  const dir = join(dataDir, 'momentum');
  await platform('init', dir, '--template', 'python', '--name', 'momentum');
  writeFileSync(join(dir, 'bot.py'), 'import talib\n\nprint(talib.__version__)\n');
  await platform('custom-bot', 'deploy', dir);
  const bot: { bot_id: string } = JSON.parse(await platform('bot', 'deploy', join(dir, 'instance.json'), '--json'));
  return bot.bot_id;
}

/** A project in the editor, with a bot that runs. */
async function shootEditor(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/editor`);
  const form = page.getByRole('form', { name: 'New project' });
  await form.getByRole('textbox', { name: 'Name' }).fill('crosser');
  await form.getByRole('combobox', { name: 'Language' }).selectOption('node');
  await form.getByRole('textbox', { name: 'Folder' }).fill(join(projects, 'crosser'));
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('treeitem', { name: 'bot.mjs' }).click();
  await page.getByRole('button', { name: 'Run locally' }).click();
  await page.getByText('round · rounds').first().waitFor();
  await wait(25_000);
  await page.screenshot({ path: join(IMAGES, 'editor.png') });
  console.log('docs/images/editor.png');
}

async function shoot(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('main').waitFor();
  await page.waitForLoadState('networkidle');
  // Charts and counters come a moment after the page.
  await wait(2000);
  await page.screenshot({ path: join(IMAGES, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
}

const { child, url } = await start();
const ended = new Promise((done) => child.once('exit', done));
try {
  const { bot_id } = JSON.parse(await platform('samples', 'deploy', 'node-sma-crossover', '--json'));
  await platform('samples', 'deploy', 'python-portfolio-tracker', '--json');
  const broken = await deployBroken();
  console.log('The bots trade for a while…');
  await wait(WATCHED_MS);
  const { token } = JSON.parse(readFileSync(join(dataDir, 'host.json'), 'utf8'));
  const answer = await fetch(`${url}/api/v1/auth/link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  const link = (await answer.json()) as { url: string };
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  await page.goto(link.url);
  await page.getByRole('main').waitFor();
  await shoot(page, `${url}/`, 'fleet');
  await shoot(page, `${url}/bots/${bot_id}`, 'bot');
  await shoot(page, `${url}/bots/${broken}`, 'failure');
  await shoot(page, `${url}/bots/${bot_id}/logs`, 'logs');
  await shootEditor(page, url);
  await browser.close();
} finally {
  child.kill('SIGTERM');
  await ended;
  for (const dir of [dataDir, projects, keys]) rmSync(dir, { recursive: true, force: true });
}
