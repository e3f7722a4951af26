// How long a project of 5,000 files takes to open in the editor, from the click to its tree and to the first text:
// `npm run build && node bench/editor.ts`. Needs Chromium.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const FILES = 5000;
const FOLDERS = 100;
const ROUNDS = 5;

const root = resolve(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'bench-editor-'));
const dir = join(work, 'large');
for (let folder = 0; folder < FOLDERS; folder++) {
  mkdirSync(join(dir, `folder-${folder}`), { recursive: true });
  for (let file = 0; file < FILES / FOLDERS; file++)
    writeFileSync(join(dir, `folder-${folder}/file-${file}.py`), 'x = 1\n');
}
writeFileSync(join(dir, 'first.py'), 'first = True\n');

const host = spawn(
  process.execPath,
  [join(root, 'out/main/serve.js'), '--data', join(work, 'data'), '--port', '0', '--engine', 'process'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const ended = new Promise((done) => host.once('exit', done));
try {
  const line = await new Promise<string>((done) => createInterface({ input: host.stdout }).once('line', done));
  const { url }: { url: string } = JSON.parse(line);
  const { token }: { token: string } = JSON.parse(readFileSync(join(work, 'data/host.json'), 'utf8'));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask = async (path: string, body: object): Promise<Response> =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await ask('/api/v1/projects', { dir });
  const link: { url: string } = JSON.parse(await (await ask('/api/v1/auth/link', {})).text());
  const browser = await chromium.launch({
    executablePath: process.env.PLATFORM_TEST_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(link.url);
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  for (let round = 1; round <= ROUNDS; round++) {
    await page.goto(`${url}/editor`);
    const project = page.getByRole('link', { name: 'large' });
    await project.waitFor();
    const clicked = performance.now();
    await project.click();
    await page.getByRole('treeitem', { name: 'folder-0', exact: true }).waitFor();
    const tree = performance.now() - clicked;
    await page.keyboard.press('Control+P');
    await page.getByRole('combobox', { name: 'File' }).fill('first.py');
    const chosen = performance.now();
    await page.keyboard.press('Enter');
    await page.locator('.monaco-editor .view-lines').getByText('first').waitFor();
    console.log(`round ${round}: tree ${tree.toFixed(0)} ms, first text ${(performance.now() - chosen).toFixed(0)} ms`);
  }
  await browser.close();
} finally {
  host.kill('SIGTERM');
  await ended;
  rmSync(work, { recursive: true, force: true });
}
