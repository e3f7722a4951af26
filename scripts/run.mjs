// Runs the command line of this repository: `npm start`, `npm run demo`. Builds it first when a source is newer than the
// build. Plain old JavaScript on purpose: it must be able to tell an old Node that it is too old.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CLI = join(ROOT, 'out', 'main', 'platform.js');
const SOURCES = ['src', 'electron.vite.config.ts', 'package-lock.json'];
const WANTED = Number(readFileSync(join(ROOT, '.node-version'), 'utf8').split('.')[0]);

/** The Node that npm installed with the project, else the one that runs this file. */
function findNode() {
  const os = process.platform === 'win32' ? 'win' : process.platform;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const own = join(ROOT, 'node_modules', `node-${os}-${process.arch}`, 'bin', file);
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= WANTED) return process.execPath;
  return null;
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

function main() {
  const node = findNode();
  if (node === null) {
    console.error(
      `Bot Platform needs Node ${WANTED}; this is ${process.versions.node}. Run \`npm ci\`: it brings the right one.`,
    );
    return 1;
  }
  if (!existsSync(join(ROOT, 'node_modules', 'better-sqlite3'))) {
    console.error('The dependencies are not installed. Run `npm ci` first.');
    return 1;
  }
  if (!isBuilt()) {
    console.log('Building…');
    const bin = join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
    const build = spawnSync(node, [bin, 'build', '--logLevel', 'error'], { cwd: ROOT, stdio: 'inherit' });
    if (build.status !== 0) return build.status ?? 1;
  }
  const child = spawn(node, [CLI, ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both; this process waits for the other one to end in order.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT') child.kill(signal);
    });
  }
  child.once('error', (error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
  return undefined;
}

const code = main();
if (code !== undefined) process.exitCode = code;
