/**
 * How long a project of 5,000 files takes to open in the editor, from the click to its tree and to the first text. Needs
 * Chromium and a build (`npm run build`). Usage: node bench/editor.ts [--quick] [--json FILE] [rounds=5] [files=5000]
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './support/bench.ts';
import { launchBrowser } from './support/browser.ts';
import { median } from './support/figures.ts';
import { startHost } from './support/host.ts';
import { call } from './support/publish.ts';
import { tempFolder } from './support/temp.ts';

const bench = new Bench({ rounds: [5, 2], files: [5000, 500] });
const { rounds, files } = bench.sizes;
const FOLDERS = 100;

const work = tempFolder('editor');
const dir = join(work, 'large');
for (let folder = 0; folder < FOLDERS; folder++) {
  mkdirSync(join(dir, `folder-${folder}`), { recursive: true });
  for (let file = 0; file < files / FOLDERS; file++)
    writeFileSync(join(dir, `folder-${folder}/file-${file}.py`), 'x = 1\n');
}
writeFileSync(join(dir, 'first.py'), 'first = True\n');

const host = await startHost({ dataDir: join(work, 'data') });
const browser = await launchBrowser();
try {
  await call(host, 'POST', '/api/v1/projects', { dir });
  const link = (await call(host, 'POST', '/api/v1/auth/link', {})) as { url: string };
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(link.url);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const trees: number[] = [];
  const texts: number[] = [];
  bench.mark();
  for (let round = 0; round < rounds; round++) {
    await page.goto(`${host.url}/editor`);
    const project = page.getByRole('link', { name: 'large' });
    await project.waitFor();
    const clicked = performance.now();
    await project.click();
    await page.getByRole('treeitem', { name: 'folder-0', exact: true }).waitFor();
    trees.push(performance.now() - clicked);
    await page.keyboard.press('Control+P');
    await page.getByRole('combobox', { name: 'File' }).fill('first.py');
    const chosen = performance.now();
    await page.keyboard.press('Enter');
    await page.locator('.monaco-editor .view-lines').getByText('first').waitFor();
    texts.push(performance.now() - chosen);
  }
  bench.row({
    row: 'editor-tree',
    title: `Editor, from the click to the tree of ${files.toLocaleString('en-US')} files`,
    unit: 'ms',
    ours: median(trees),
    note: `first of ${rounds} rounds ${trees[0]?.toFixed(0)} ms`,
  });
  bench.row({
    row: 'editor-text',
    title: 'Editor, from the choice of a file to its text',
    unit: 'ms',
    ours: median(texts),
    note: `first of ${rounds} rounds, with Monaco, ${texts[0]?.toFixed(0)} ms`,
  });
  bench.done();
} finally {
  await browser.close();
  await host.stop();
  rmSync(work, { recursive: true, force: true });
}
