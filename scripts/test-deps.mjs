// Installs the system packages that the tests need, where it may: Debian or Ubuntu as root. Elsewhere it says what is missing.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

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

const missing = NEEDED.filter((need) => !need.found()).map((need) => need.package);
if (missing.length > 0) {
  const mayInstall = process.platform === 'linux' && process.getuid?.() === 0 && runs('apt-get', ['--version']);
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
