/**
 * From the start of the desktop app to its usable dashboard, and what it takes in memory, on fresh and on used data
 * folders. On Electron where its binary is there (ELECTRON_OVERRIDE_DIST_PATH names its folder), else on the tests' double
 * of it, which is Node and Chromium: its figures are the double's, and say nothing of Electron's own start. Linux only, for
 * its way to count memory that processes share. Needs a build (`npm run build`).
 * Usage: node bench/desktop.ts [--quick] [--json FILE] [rounds=5]
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { _electron } from 'playwright-core';
import { Bench } from './support/bench.ts';
import { median } from './support/figures.ts';
import { ROOT } from './support/host.ts';
import { family, proportionalBytes } from './support/processes.ts';
import { tempFolder } from './support/temp.ts';

const bench = new Bench({ rounds: [5, 1] });
const { rounds } = bench.sizes;
const DOUBLE = join(ROOT, 'test/support/electron-double');
process.env.ELECTRON_OVERRIDE_DIST_PATH ??= DOUBLE;
const isDouble = process.env.ELECTRON_OVERRIDE_DIST_PATH === DOUBLE;
const dataDir = tempFolder('desktop');

const proportionalMb = (pid: number): number => proportionalBytes(pid) / 1024 / 1024;

async function open(): Promise<{ readonly ms: number; readonly hostMb: number; readonly allMb: number }> {
  const { PATH = '', HOME = '' } = process.env;
  const begun = performance.now();
  const app = await _electron.launch({
    args: [ROOT, '--', '--data', dataDir, '--port', '0', '--engine', 'process', '--node', process.execPath],
    env: { PATH, HOME, ELECTRON_DOUBLE_NODE: process.execPath },
  });
  const page = app.windows().at(-1) ?? (await app.waitForEvent('window'));
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const ms = performance.now() - begun;
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'host.json'), 'utf8'));
  const all = family(app.process().pid ?? 0);
  const sizes = { hostMb: proportionalMb(pid), allMb: all.reduce((sum, one) => sum + proportionalMb(one), 0) };
  const ended = new Promise((done) => app.process().once('exit', done));
  await app.evaluate(({ app: own }) => void setImmediate(() => own.quit()));
  await ended;
  return { ms, ...sizes };
}

try {
  const first = await open();
  const later = [];
  for (let round = 0; round < rounds; round += 1) later.push(await open());
  const where = isDouble ? "the tests' double of Electron" : 'Electron';
  bench.row({
    row: 'desktop-start',
    title: `Desktop app on ${where}, start to usable window`,
    unit: 'ms',
    ours: median(later.map(({ ms }) => ms)),
    peer: { name: 'on a fresh folder', value: first.ms },
  });
  bench.row({
    row: 'desktop-memory',
    title: `Desktop app on ${where}, memory in all`,
    unit: 'MB',
    ours: median(later.map(({ allMb }) => allMb)),
    peer: { name: 'the host alone', value: median(later.map(({ hostMb }) => hostMb)) },
  });
  bench.done();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
