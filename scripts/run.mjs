#!/usr/bin/env node
// The `platform` command of this repository, also behind `npm start` and `npm run demo`. Builds first when a source is
// newer than the build. Plain old JavaScript on purpose: it must be able to tell an old Node that it is too old.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CLI = join(ROOT, 'out', 'main', 'platform.js');
const SOURCES = ['src', 'electron.vite.config.ts', 'package-lock.json'];
const LOCK = join(ROOT, 'node_modules', '.platform-build');
const LONGEST_BUILD_MS = 180_000;
const STEP_MS = 50;
// As OLDEST_NODE of src/node/bundled-node.ts.
const WANTED = 26;

const major = (version) => Number(version.split('.')[0]);

/** The Node that npm installed with the project; null without one. */
function ownNode() {
  const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  // As nodePackage of src/node/bundled-node.ts.
  const folder = system === 'darwin-arm64' ? `node-bin-${system}` : `node-${system}`;
  const own = join(ROOT, 'node_modules', folder, 'bin', file);
  return existsSync(own) ? own : null;
}

function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function isBuilt() {
  if (!existsSync(CLI)) return false;
  const built = statSync(CLI).mtimeMs;
  return SOURCES.every((name) => newest(join(ROOT, name)) <= built);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Takes the right to build; false while another process has it. The lock of a killed one does not count. */
function takeLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  const holder = existsSync(LOCK) ? Number(readFileSync(LOCK, 'utf8')) : 0;
  // An empty file is one whose owner is about to write its id.
  if (age > LONGEST_BUILD_MS || (holder > 0 && !isAlive(holder))) rmSync(LOCK, { force: true });
  return false;
}

/** Runs the build quietly, and prints its output only on failure. */
function build(node) {
  const bin = join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const options = { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };
  const { status, stdout, stderr, error } = spawnSync(node, [bin, 'build', '--logLevel', 'error'], options);
  if (status === 0) return true;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error === undefined ? '' : `${error.message}\n`}`);
  process.stderr.write('The build failed. `npm run build` shows it again.\n');
  return false;
}

/** Builds if that is due, one process at a time; false when it failed. */
async function ensureBuilt(node) {
  if (isBuilt()) return true;
  process.stderr.write('Building…');
  try {
    while (!takeLock()) await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    try {
      return isBuilt() || build(node);
    } finally {
      rmSync(LOCK, { force: true });
    }
  } finally {
    process.stderr.write(process.stderr.isTTY ? '\r\u001b[2K' : '\n');
  }
}

/** Runs the command line under another Node and ends as it ends. */
function runUnder(node) {
  const child = spawn(node, [CLI, ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both; this process waits for the other one to end in order.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT') child.kill(signal);
    });
  }
  child.once('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

async function main() {
  const node = ownNode() ?? (major(process.versions.node) >= WANTED ? process.execPath : null);
  if (node === null) {
    fail(
      `Bot Platform needs Node ${WANTED}; this is ${process.versions.node}. Run \`npm ci\`: it brings the right one.`,
    );
    return;
  }
  // An installed package has no sources: it is built.
  if (existsSync(join(ROOT, 'src'))) {
    if (!existsSync(join(ROOT, 'node_modules', 'better-sqlite3'))) {
      fail('The dependencies are not installed. Run `npm ci` first.');
      return;
    }
    if (!(await ensureBuilt(node))) {
      process.exitCode = 1;
      return;
    }
  }
  // In this process where possible: signals, exit code and stdin are then those of the command line itself.
  if (realpathSync(node) === realpathSync(process.execPath)) await import(pathToFileURL(CLI).href);
  else runUnder(node);
}

await main();
