/**
 * From the start of the desktop app to its usable dashboard, and what it takes in memory, on fresh and on used data
 * folders. On Electron where its binary is there (ELECTRON_OVERRIDE_DIST_PATH names its folder), else on the tests' double
 * of it, which is Node and Chromium: its figures are the double's, and say nothing of Electron's own start. Linux only, for
 * its way to count memory that processes share. Needs a build (`npm run build`).
 * Usage: node bench/desktop.ts [rounds, default 5]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { _electron } from 'playwright-core';

const [rounds = '5'] = process.argv.slice(2);
const ROOT = resolve(import.meta.dirname, '..');
const DOUBLE = join(ROOT, 'test/support/electron-double');
process.env.ELECTRON_OVERRIDE_DIST_PATH ??= DOUBLE;
const isDouble = process.env.ELECTRON_OVERRIDE_DIST_PATH === DOUBLE;
const dataDir = mkdtempSync(join(tmpdir(), 'bench-desktop-'));

/** A process and all that it has started. */
function family(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'latin1'))?.[1]);
      parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
    } catch (error) {
      // It has ended since the list was made.
      if (!(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')))
        throw error;
    }
  }
  const found = [pid];
  for (const one of found) found.push(...(parents.get(one) ?? []));
  return found;
}

/** 0 for one that has ended since the list was made. */
function proportionalMb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return 0;
    throw error;
  }
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function open(): Promise<{ readonly ms: number; readonly hostMb: number; readonly allMb: number }> {
  const { PATH = '', HOME = '' } = process.env;
  const begun = performance.now();
  const app = await _electron.launch({
    args: [ROOT, '--', '--data', dataDir, '--port', '0', '--engine', 'process', '--node', process.execPath],
    env: { PATH, HOME, ELECTRON_DOUBLE_NODE: process.execPath },
  });
  const page = app.windows().at(-1) ?? (await app.waitForEvent('window'));
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
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
  for (let round = 0; round < Number(rounds); round += 1) later.push(await open());
  const mb = (value: number): string => `${value.toFixed(0)} MB`;
  console.log(
    `${isDouble ? 'on the double of Electron' : 'on Electron'}: start to usable window ${first.ms.toFixed(0)} ms on a fresh folder, ` +
      `${middle(later.map(({ ms }) => ms)).toFixed(0)} ms on a used one (middle of ${rounds}); ` +
      `memory ${mb(middle(later.map(({ allMb }) => allMb)))} in all, ${mb(middle(later.map(({ hostMb }) => hostMb)))} of it the host`,
  );
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
