import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, type TestContext } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import { make } from './compile.ts';
import { containerPids, removeContainers } from './docker/containers.ts';
import { tempDir } from './temp.ts';
import { until } from './until.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
const OUT = join(ROOT, 'out/main');
const EXAMPLES = join(ROOT, 'resources/examples');

/** A connection that was kept may be closed by the host in the moment in which a busy test uses it again. */
export const ONCE = { connection: 'close' } as const;

/** Output and exit of a command. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A host of this test alone, as people run it: the built program on a folder of its own. */
export class TestHost {
  readonly dataDir: string;
  readonly configDir: string;
  /** What runs bots that ask for no engine. No test depends on a Docker that happens to run here, unless it asks for it. */
  engine: 'auto' | 'docker' | 'process' | 'sandbox' = 'process';
  /** Where Docker listens, for a host that runs its bots there. */
  docker: string | null = null;
  /** What its environment holds beside the usual. */
  env: Readonly<Record<string, string>> = {};
  /** A program that starts the host, e.g. `unshare` with its options; empty: it starts directly. */
  within: readonly string[] = [];
  /** Home folder of the host; null for that of the tests' user. */
  home: string | null = null;
  #child: ChildProcess | undefined;
  readonly #clients = new Set<ChildProcess>();
  #url: string | undefined;

  constructor(dataDir = tempDir('platform-e2e-')) {
    this.dataDir = dataDir;
    this.configDir = join(dataDir, 'client');
  }

  get url(): string {
    if (this.#url === undefined) throw new Error('the host was not started');
    return this.#url;
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('the host is not running');
    return pid;
  }

  get token(): string {
    return JSON.parse(readFileSync(join(this.dataDir, 'host.json'), 'utf8')).token;
  }

  /** To be called before the start: bots run in this Docker engine. */
  useDocker(address: string): void {
    this.docker = address;
    this.engine = 'docker';
  }

  /** Starts the host, on the port it had before if it had one; resolves once it said that it is ready. */
  async start(): Promise<this> {
    const port = this.#url === undefined ? 0 : new URL(this.#url).port;
    const serve = [process.execPath, join(OUT, 'serve.js'), '--data', this.dataDir, '--port', String(port)];
    const [program = '', ...args] = [...this.within, ...serve];
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.#env(),
    });
    this.#child = child;
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += String(chunk);
    });
    const ready = new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', (code) => reject(new Error(`the host ended with ${code}: ${errors}`)));
    });
    const line = JSON.parse(await ready);
    if (line.ready !== true) throw new Error(`the host did not start: ${JSON.stringify(line)} ${errors}`);
    this.#url = line.url;
    return this;
  }

  /** Whether the host has ended, also by itself. */
  isGone(): boolean {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  /** Ends the host as a crash does. */
  async kill(): Promise<void> {
    await this.#ended('SIGKILL');
  }

  /** Ends the host as Ctrl-C does: bots are ended too. Commands that still run are ended as well. */
  async stop(): Promise<void> {
    for (const client of this.#clients) client.kill('SIGKILL');
    await this.#ended('SIGTERM');
  }

  /** Runs a command of the built command line against this host. */
  cli(...args: string[]): Promise<CliResult> {
    return this.cliWith({}, ...args);
  }

  cliWith(options: { cwd?: string; input?: string; env?: NodeJS.ProcessEnv }, ...args: string[]): Promise<CliResult> {
    const child = this.spawnCli(options, ...args);
    const result = { code: null as number | null, stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk) => {
      result.stdout += String(chunk);
    });
    child.stderr?.on('data', (chunk) => {
      result.stderr += String(chunk);
    });
    child.stdin?.end(options.input ?? '');
    return new Promise((resolve) => {
      child.once('close', (code) => resolve({ ...result, code }));
    });
  }

  /** `terminal`: it runs in a terminal of its own (Linux), so that it asks its person. */
  spawnCli(options: { cwd?: string; env?: NodeJS.ProcessEnv; terminal?: boolean }, ...args: string[]): ChildProcess {
    const command = [process.execPath, join(OUT, 'platform.js'), ...args];
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const [program = '', ...rest] = options.terminal === true ? ['script', '-qefc', quoted, '/dev/null'] : command;
    const child = spawn(program, rest, {
      cwd: options.cwd ?? this.dataDir,
      env: { ...this.#env(), ...options.env },
    });
    this.#clients.add(child);
    child.once('close', () => this.#clients.delete(child));
    return child;
  }

  /** Runs a command that must succeed and gives its JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the answers of many commands, read by the tests that know them
  async json(...args: string[]): Promise<any> {
    const result = await this.cli(...args, '--json');
    if (result.code !== 0)
      throw new Error(`platform ${args.join(' ')} ended with ${result.code}: ${result.stderr}${result.stdout}`);
    return JSON.parse(result.stdout);
  }

  /** What the host wrote for its owner: for the message of a check that failed. */
  get log(): string {
    return readFileSync(join(this.dataDir, 'host.log'), 'utf8');
  }

  /** A call of the HTTP API as the local owner. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const auth = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return fetch(`${this.url}${path}`, { ...init, headers: { ...ONCE, ...auth, ...init.headers } });
  }

  #env(): NodeJS.ProcessEnv {
    const { PATH, HOME, LANG, PLATFORM_KEY_FOLDER } = process.env;
    const own = { PLATFORM_DATA_DIR: this.dataDir, PLATFORM_CONFIG_DIR: this.configDir, PLATFORM_ENGINE: this.engine };
    return {
      PATH,
      HOME: this.home ?? HOME,
      LANG,
      ...own,
      PLATFORM_KEY_FOLDER,
      NO_COLOR: '1',
      ...(this.docker === null ? {} : { DOCKER_HOST: this.docker }),
      ...this.env,
    };
  }

  async #ended(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.isGone()) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill(signal);
    await gone;
    this.#child = undefined;
  }
}

/**
 * Starts a host that is stopped, with all its bots, when the test ends. The test hands its own hook in: with tests that
 * run at once nothing else knows which one is meant. `prepare` may put files into the data folder first; `env` is added
 * to the environment of the host.
 */
export async function testHost(
  onTestFinished: TestContext['onTestFinished'],
  prepare: (dataDir: string) => void = () => undefined,
  docker: string | null = null,
  env: Readonly<Record<string, string>> = {},
): Promise<TestHost> {
  const host = new TestHost();
  host.env = env;
  if (docker !== null) host.useDocker(docker);
  prepare(host.dataDir);
  onTestFinished(() => endOf(host), 180_000);
  return host.start();
}

/**
 * A host for all tests of the group that asks for it, since a host costs more than most tests. Each test takes it as one of
 * its own, and looks at its own bots alone, which are deleted when it ends; none ends or changes the host.
 */
export function sharedHost(
  prepare: (dataDir: string) => void = () => undefined,
  docker: string | null = null,
  env: Readonly<Record<string, string>> = {},
): (onTestFinished: TestContext['onTestFinished']) => TestHost {
  const host = new TestHost();
  host.env = env;
  if (docker !== null) host.useDocker(docker);
  beforeAll(async () => {
    prepare(host.dataDir);
    await host.start();
  });
  afterAll(() => endOf(host), 180_000);
  return (onTestFinished) => {
    const bots: string[] = [];
    onTestFinished(async () => {
      for (const id of bots) {
        await host.fetch(`/api/v1/bots/${id}`, { method: 'DELETE' });
        await host.fetch('/api/v1/trash/empty', { method: 'POST', body: JSON.stringify({ bot_ids: [id] }) });
      }
    }, 180_000);
    const fetch: TestHost['fetch'] = async (path, init) => {
      const response = await host.fetch(path, init);
      if (path === '/api/v1/bots' && response.status === 201)
        bots.push(((await response.clone().json()) as Bot).bot_id);
      return response;
    };
    return new Proxy(host, {
      get(target, key) {
        const value = key === 'fetch' ? fetch : Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
}

/** Ends a host with all its bots, also those that one before it left running. */
export async function endOf(host: TestHost): Promise<void> {
  await host.stop();
  await endLeftovers(host.dataDir);
  if (host.docker !== null) await removeContainers(host.docker, host.dataDir);
}

/** Processes of a host's bots, whichever engine runs them. */
export async function programsOf(host: TestHost): Promise<number[]> {
  const inContainers = host.docker === null ? [] : await containerPids(host.docker, host.dataDir);
  return [...pidsUnder(host.dataDir), ...inContainers];
}

/** Ends the remaining programs of a killed host, so that no test leaves a process behind. */
async function endLeftovers(dataDir: string): Promise<void> {
  if (process.platform !== 'linux') return;
  killAll(pidsUnder(dataDir));
  await until('processes of the test to end', () => pidsUnder(dataDir).length === 0);
}

/** Processes of one bot, launchers included. */
export function pidsOfBot(host: TestHost, botId: string): number[] {
  return pidsUnder(host.dataDir).filter((pid) => procText(pid, 'environ').includes(`BOT_ID=${botId}`));
}

/** Processes whose environment names a folder: the bots of one test's host. */
export function pidsUnder(dir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(
      (pid) => procText(pid, 'environ').includes(`STATE_DIR=${dir}`) && /^\d+ \(.*\) [^Z]/s.test(procText(pid, 'stat')),
    );
}

/** True for errors that only say that a process has ended meanwhile. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');

/** A file of Linux about a process; empty when it has ended or is not readable here. */
export function procText(pid: number, file: 'environ' | 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (error) {
    if (isGone(error) || (error instanceof Error && 'code' in error && error.code === 'EACCES')) return '';
    throw error;
  }
}

/** Kills processes; one may already have ended with another. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

/** A private copy of an example, with build output and caches left out. */
export function exampleCopy(name: string): string {
  const dir = join(tempDir(`platform-${name}-`), name);
  cpSync(join(EXAMPLES, name), dir, {
    recursive: true,
    filter: (path) => !/[/\\](build|__pycache__|node_modules)$/.test(path),
  });
  return dir;
}

/** By name: each is built once in a file of tests. */
const builds = new Map<string, Promise<string>>();

async function build(name: string): Promise<string> {
  const dir = exampleCopy(name);
  await make(dir);
  return dir;
}

/** A private copy of an example that was built with `make`. Other tests go on while that takes its time. */
export async function builtCopy(name: string): Promise<string> {
  const built = builds.get(name) ?? build(name);
  builds.set(name, built);
  const dir = join(tempDir(`platform-${name}-`), name);
  cpSync(await built, dir, { recursive: true });
  return dir;
}

/** Writes a JSON file and returns its path. */
export function jsonFile(dir: string, name: string, value: unknown): string {
  const file = join(dir, name);
  writeFileSync(file, JSON.stringify(value, null, 2));
  return file;
}

/** True while a process exists. */
export function exists(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Removes a folder now. */
export function removeDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}
