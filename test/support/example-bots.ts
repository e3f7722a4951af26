import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { parse } from 'yaml';
import { TEMPLATES } from '../../src/runtimes/registry.ts';
import { make } from './compile.ts';

const RESOURCES = resolve(import.meta.dirname, '../../resources');
const SDK = join(RESOURCES, 'sdk');
const WAIT_MS = 90_000;
const CPP_NEEDS =
  'The C++ bots need a compiler and two libraries. Debian, Ubuntu: apt-get install -y g++ make nlohmann-json3-dev libcurl4-openssl-dev';

/** One metric line of a bot, `_metric` and the time taken off. */
export interface Metric {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** An example or template, ready to run in a temporary folder. */
export interface Project extends AsyncDisposable {
  readonly dir: string;
  readonly runtime: string;
  readonly entrypoints: { readonly bot: string; readonly query: string };
}

/** What `query` of a project answered. */
export interface QueryAnswer {
  readonly exitCode: number | null;
  readonly envelope: { readonly status: string; readonly data?: Record<string, unknown>; readonly error?: string };
}

async function build(dir: string): Promise<void> {
  try {
    await make(dir);
  } catch (error) {
    throw new Error(`make failed in a copy of the project. ${CPP_NEEDS}\n${error}`);
  }
}

/** What a new project of a template gets besides; C++ is built with the SDK that stands beside it. */
function partsOf(source: string): readonly { readonly from: string; readonly to: string }[] {
  const template = [...TEMPLATES.values()].find(({ name }) => source === `templates/${name}`);
  return (template?.copies ?? []).filter(({ from }) => !from.startsWith('sdk/'));
}

async function fillIn(dir: string, name: string): Promise<void> {
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('{{name}}', name));
  }
}

/**
 * Copies `resources/<source>` to a temporary folder with the SDK beside it, as publishing does, and builds it if it is
 * compiled. `name` replaces the placeholder of templates.
 */
export async function prepareProject(source: string, name = 'unnamed'): Promise<Project> {
  const root = await mkdtemp(join(tmpdir(), 'example-'));
  const dir = join(root, 'code');
  await cp(join(RESOURCES, source), dir, { recursive: true, filter: (path) => !path.endsWith('/build') });
  for (const { from, to } of partsOf(source)) await cp(join(RESOURCES, from), join(dir, to), { recursive: true });
  await fillIn(dir, name);
  const { runtime, entrypoints } = parse(await readFile(join(dir, 'bot-config.yaml'), 'utf8'));
  if (runtime === 'python311') await cp(join(SDK, 'python'), join(dir, 'vendor'), { recursive: true });
  if (runtime === 'nodejs24')
    await cp(join(SDK, 'node'), join(dir, 'node_modules/@bot-platform/sdk'), { recursive: true });
  if (runtime === 'gcc13') await build(dir);
  return { dir, runtime, entrypoints, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** A project that every test of a `describe` shares; it is prepared before the first and removed after the last. */
export function sharedProject(source: string, name?: string): { readonly project: Project } {
  let project: Project | undefined;
  beforeAll(async () => {
    project = await prepareProject(source, name);
  });
  afterAll(() => project?.[Symbol.asyncDispose]());
  return {
    get project() {
      if (project === undefined) throw new Error(`${source} was not prepared`);
      return project;
    },
  };
}

/** The command by which a host starts a runtime. */
function command(project: Project, entry: string): [string, string[]] {
  if (project.runtime === 'python311') return ['python3', [join(RESOURCES, 'runners/python_runner.py'), entry]];
  if (project.runtime === 'nodejs24') return [process.execPath, [join(RESOURCES, 'runners/node-runner.mjs'), entry]];
  return [join(project.dir, entry), []];
}

function environment(project: Project, home: string, config: unknown): Record<string, string> {
  return {
    BOT_ID: 'bot_example',
    BOT_CONFIG: JSON.stringify(config),
    RUN_ID: 'run_example',
    CODE_MOUNT_DIR: project.dir,
    STATE_DIR: join(home, 'state/.platform'),
    RESULT_FILE: join(home, 'result.json'),
    PATH: process.env.PATH ?? '',
    PYTHONPATH: `${join(project.dir, 'vendor')}:${project.dir}`,
    PYTHONUNBUFFERED: '1',
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    HOME: home,
    TMPDIR: home,
  };
}

/** One running copy of a bot with everything it printed. */
export class RunningBot implements AsyncDisposable {
  readonly metrics: Metric[] = [];
  readonly output: string[] = [];
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #watchers = new Set<() => void>();
  #exitCode: number | null | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#read('stdout');
    this.#read('stderr');
    this.exited = new Promise((settle, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        this.#exitCode = code;
        settle(code);
        this.#tell();
      });
    });
  }

  #tell(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #read(stream: 'stdout' | 'stderr'): void {
    let rest = '';
    this.#child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#line(stream, line);
      this.#tell();
    });
  }

  #line(stream: 'stdout' | 'stderr', line: string): void {
    this.output.push(line);
    if (stream !== 'stdout' || !line.startsWith('{')) return;
    const { _metric, timestamp, ...data } = JSON.parse(line);
    if (typeof _metric === 'string' && timestamp !== undefined) this.metrics.push({ type: _metric, data });
  }

  /** Data of the metrics of one type, oldest first. */
  of(type: string): Record<string, unknown>[] {
    return this.metrics.filter((metric) => metric.type === type).map((metric) => metric.data);
  }

  /** Lines that contain a text. */
  lines(text: string): string[] {
    return this.output.filter((line) => line.includes(text));
  }

  /** Resolves once the condition holds; rejects with the output so far when the bot ends first or takes too long. */
  until(what: string, holds: () => boolean): Promise<void> {
    return new Promise((settle, reject) => {
      const finish = (end: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(check);
        end();
      };
      const fail = (why: string) => finish(() => reject(new Error(`${what}: ${why}\n${this.output.join('\n')}`)));
      const check = () => {
        if (holds()) finish(settle);
        else if (this.#exitCode !== undefined) fail(`the bot ended with ${this.#exitCode}`);
      };
      const timer = setTimeout(() => fail(`not within ${WAIT_MS} ms`), WAIT_MS);
      this.#watchers.add(check);
      check();
    });
  }

  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#exitCode === undefined) this.#child.kill('SIGKILL');
    await this.exited;
  }
}

/** State, result and temporary files of one instance. */
export interface Instance extends AsyncDisposable {
  start(config: unknown): RunningBot;
  ask(path: string, params?: Record<string, string>, config?: unknown): Promise<QueryAnswer>;
  state(key: string): Promise<Record<string, unknown> | undefined>;
  /** Replaces a value while no program of the instance runs. */
  putState(key: string, value: unknown): Promise<void>;
  stateChangedAt(key: string): Promise<number>;
  result(): Promise<Record<string, unknown>>;
}

/** A fresh instance of a project. */
export async function newInstance(project: Project): Promise<Instance> {
  const home = await mkdtemp(join(tmpdir(), 'instance-'));
  await mkdir(join(home, 'state/.platform'), { recursive: true });
  const stateFile = (key: string) => join(home, `state/.platform/${key}.json`);
  const json = async (path: string) => JSON.parse(await readFile(path, 'utf8'));
  const start = (entry: string, env: Record<string, string>) => {
    const [program, args] = command(project, entry);
    return new RunningBot(spawn(program, args, { cwd: project.dir, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  };
  return {
    start: (config) => start(project.entrypoints.bot, { ...environment(project, home, config), BOT_TYPE: 'realtime' }),
    async ask(path, params = {}, config = {}) {
      const answerFile = join(home, 'query.json');
      await rm(answerFile, { force: true });
      await using bot = start(project.entrypoints.query, {
        ...environment(project, home, config),
        BOT_TYPE: 'scheduled',
        QUERY_PATH: path,
        QUERY_PARAMS: JSON.stringify(params),
        ...Object.fromEntries(Object.entries(params).map(([name, value]) => [`QUERY_PARAM_${name}`, value])),
        QUERY_RESULT_FILE: answerFile,
      });
      const exitCode = await bot.exited;
      return { exitCode, envelope: await json(answerFile) };
    },
    state: async (key) =>
      (await readdir(join(home, 'state/.platform'))).includes(`${key}.json`) ? json(stateFile(key)) : undefined,
    putState: (key, value) => writeFile(stateFile(key), JSON.stringify(value)),
    stateChangedAt: async (key) => (await stat(stateFile(key))).mtimeMs,
    result: () => json(join(home, 'result.json')),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}
