import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A program that benchmarks call, beside Node and what `npm ci` brings. */
interface Tool {
  readonly name: string;
  /** Its package on Debian and Ubuntu. */
  readonly package: string;
  readonly benches: readonly string[];
  /** Where it is looked for; the search path when left out. */
  readonly places?: readonly string[];
  /** What benchmarks leave out without it; they cannot run at all when this is left out. */
  readonly without?: string;
}

const TOOLS: readonly Tool[] = [
  { name: 'wrk', package: 'wrk', benches: ['mcp', 'realtime'] },
  { name: 'taskset', package: 'util-linux', benches: ['mcp'] },
  { name: 'python3', package: 'python3', benches: ['dashboard', 'live', 'many', 'query', 'reads', 'state'] },
  { name: 'sqlite3', package: 'sqlite3', benches: ['reads'] },
  { name: 'rg', package: 'ripgrep', benches: ['reads'], without: 'searches beside ripgrep' },
  { name: 'cc', package: 'gcc', benches: ['ingest'], without: 'the peer in C, for which better-sqlite3 stands' },
  {
    name: 'sqlite3.h',
    package: 'libsqlite3-dev',
    benches: ['ingest', 'state'],
    places: ['/usr/include/sqlite3.h'],
    without: 'peers in C and C++',
  },
  { name: 'g++', package: 'g++', benches: ['state'], without: 'the kit of C++' },
  { name: 'systemd-analyze', package: 'systemd', benches: ['schedule'], without: 'due times beside systemd' },
  {
    name: 'dockerd',
    package: 'docker.io',
    benches: ['docker', 'ingest', 'query', 'reads'],
    places: ['/usr/sbin/dockerd', '/usr/bin/dockerd', '/usr/local/bin/dockerd'],
    without: 'rows beside Docker',
  },
  {
    name: 'chromium',
    package: 'chromium',
    benches: ['dashboard', 'editor'],
    places: [process.env.PLATFORM_TEST_CHROMIUM ?? '/usr/bin/chromium'],
  },
];

/** A program may refuse `--version`, but not be missing then. */
function isThere({ name, places }: Tool): boolean {
  if (places !== undefined) return places.some((place) => existsSync(place));
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;
}

const lacking = (benches: readonly string[]): Tool[] =>
  TOOLS.filter((tool) => tool.benches.some((bench) => benches.includes(bench)) && !isThere(tool));

/**
 * Sees to the programs that these benchmarks need, before the first of them measures anything: installs what is missing as
 * root of Debian or Ubuntu, names the rest, and ends this program if a benchmark cannot run without one.
 */
export function haveTools(benches: readonly string[]): void {
  const before = lacking(benches);
  if (before.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const packages = before.map((tool) => tool.package);
    console.log(`Installing what the benchmarks need: ${packages.join(' ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const quiet: SpawnSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'], env };
    spawnSync('apt-get', ['update', '-qq'], quiet);
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet);
  }
  const missing = lacking(benches);
  for (const { name, package: of, without, benches: needing } of missing) {
    const what = without === undefined ? `${needing.join(' and ')} cannot run` : `left out: ${without}`;
    console.error(`Without ${name} (package ${of}): ${what}.`);
  }
  if (missing.every((tool) => tool.without !== undefined)) return;
  console.error('Nothing was measured. Install what is missing, or choose other benchmarks with --only.');
  process.exit(1);
}
