// Installs what the tests need beside `npm ci`. System packages: on Debian or Ubuntu as root it installs them;
// elsewhere it names the missing ones. The programs that test/conformance runs: from its own lock file, so that `npm
// ci` stays small.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const NEEDED = [
  { package: 'g++', found: () => runs('g++', ['--version']) },
  { package: 'make', found: () => runs('make', ['--version']) },
  { package: 'python3', found: () => runs('python3', ['--version']) },
  { package: 'nlohmann-json3-dev', found: () => header('nlohmann/json.hpp') },
  { package: 'libcurl4-openssl-dev', found: () => header('curl/curl.h') },
];

function runs(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function header(name) {
  const places = [
    '/usr/include',
    '/usr/local/include',
    '/opt/homebrew/include',
    `/usr/include/${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu`,
  ];
  return places.some((place) => existsSync(`${place}/${name}`));
}

const DAEMONS = ['/usr/sbin/dockerd', '/usr/bin/dockerd', '/usr/local/bin/dockerd'];
// The package brings what the daemon of a test run starts: docker-init, containerd, runc and iptables are dependencies of
// docker.io.
const DOCKER = { package: 'docker.io', found: () => DAEMONS.some((path) => existsSync(path)) || engineRuns() };

/** A client alone proves no engine, and the engine may be Docker Desktop's. */
function engineRuns() {
  const sockets = ['/var/run/docker.sock', join(homedir(), '.docker/run/docker.sock')];
  return process.env.DOCKER_HOST !== undefined || sockets.some((path) => existsSync(path));
}

/** With it a test sets the clock of its host (test/support/other-clock.ts). */
function clockCanBeSet() {
  return existsSync(`/usr/lib/${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu/faketime/libfaketimeMT.so.1`);
}

const mayInstall = process.platform === 'linux' && process.getuid?.() === 0 && runs('apt-get', ['--version']);
// Elsewhere the Docker tests, and those of the dashboard without a browser, are skipped and say why: the other tests
// need no engine.
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const hasBrowser = () => process.env.PLATFORM_TEST_CHROMIUM !== undefined || BROWSERS.some((path) => existsSync(path));
if (mayInstall) {
  NEEDED.push(DOCKER, { package: 'iproute2', found: () => runs('ip', ['-V']) });
  NEEDED.push({ package: 'chromium', found: hasBrowser });
  NEEDED.push({ package: 'libfaketime', found: clockCanBeSet });
} else if (!hasBrowser()) {
  console.log('The tests of the dashboard are skipped: there is no Chromium (PLATFORM_TEST_CHROMIUM names one).');
}

if (process.platform !== 'win32' && process.getuid?.() !== 0)
  console.log(
    'Tests that only root can run are skipped: they change owners, mount, or limit another user (CONTRIBUTING.md).',
  );

const missing = NEEDED.filter((need) => !need.found()).map((need) => need.package);
if (missing.length > 0) {
  if (mayInstall) {
    console.log(`Installing what the tests need: ${missing.join(' ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const quiet = { stdio: ['ignore', 'ignore', 'inherit'], env };
    spawnSync('apt-get', ['update', '-qq'], quiet);
    const done = spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], quiet);
    if (done.status !== 0) process.exitCode = 1;
  } else {
    console.error(`The tests need these packages, please install them: ${missing.join(' ')}`);
    process.exitCode = 1;
  }
}

const CONFORMANCE = resolve(import.meta.dirname, '../test/conformance');
const lock = readFileSync(join(CONFORMANCE, 'package-lock.json'), 'utf8');
// A copy of the lock file that was installed last; whatever differs from it is installed again.
const installed = join(CONFORMANCE, 'node_modules/.installed-lock.json');
if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
  console.log('Installing the programs of test/conformance');
  const args = ['ci', '--prefix', CONFORMANCE, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const options = { stdio: ['ignore', 'ignore', 'inherit'] };
  const done =
    npm === undefined
      ? spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
      : spawnSync(process.execPath, [npm, ...args], options);
  if (done.status === 0) writeFileSync(installed, lock);
  else {
    console.error(`They could not be installed. Try it by hand: npm ${args.slice(0, 4).join(' ')}`);
    process.exitCode = 1;
  }
}
