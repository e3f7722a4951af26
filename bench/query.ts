/**
 * Queries to a scheduled bot, side by side with a bare start of the same program, in the same run and under the same load:
 * times on shared machines swing, the ratios do not. The cases take turns; each time is from the question to its answer.
 * Where a Docker engine answers (DOCKER_HOST) its containers are asked as well, beside `docker run` of the same program.
 * Needs Python. Usage: node bench/query.ts [rounds, default 40]
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DockerEngine } from '../src/main/engine/docker/docker-engine.ts';
import type { Engine, UnitSpec } from '../src/main/engine/engine.ts';
import { createProcessEngine } from '../src/main/engine/process/process-engine.ts';
import { createQueryService, type QueryService } from '../src/main/query/query-service.ts';

const [rounds = '40'] = process.argv.slice(2);
const RESOURCES = resolve(import.meta.dirname, '../resources');
const RUNNERS = join(RESOURCES, 'runners');
const PROGRAM = `from platform_sdk import query, state
query.handler("/status", lambda request: state.get("bot_state", {}))
query.run()
`;
const PATH = '/status';
const STATE = JSON.stringify({ symbol: 'SPY', last_price: 512.34, signals: Array(20).fill({ at: 1, side: 'buy' }) });

/** One way to ask. `ask` is timed, `settle` is not: it waits for what is done in the background. */
interface Case {
  readonly name: string;
  ask(): Promise<unknown>;
  settle?(): Promise<void>;
}

const root = mkdtempSync(join(tmpdir(), 'bench-query-'));
const codeDir = join(root, 'code');
const stateDir = join(root, 'state');
for (const dir of [codeDir, join(stateDir, '.platform')]) mkdirSync(dir, { recursive: true });
writeFileSync(join(codeDir, 'query.py'), PROGRAM);
writeFileSync(join(stateDir, '.platform/bot_state.json'), STATE);

let runs = 0;
function newSpec(): UnitSpec {
  runs += 1;
  const runId = `run_${runs}`;
  return {
    botId: 'bot_1',
    runId,
    role: 'query',
    botType: 'scheduled',
    runtime: 'python311',
    entry: 'query.py',
    codeDir,
    stateDir,
    runDir: join(root, 'runs', runId),
    env: { BOT_ID: 'bot_1', BOT_CONFIG: '{}', BOT_TYPE: 'scheduled', RUN_ID: runId },
    limits: {},
    queryRun: true,
  };
}

/** Both ways through a service: by a program that waits, and by one that is started for the query. */
function serviceCases(engine: Engine): { cases: Case[]; service: QueryService } {
  const service = createQueryService();
  const mask = (text: string): string => text;
  const query = { path: PATH, params: {}, timeoutMs: 60_000 };
  const settle = async (): Promise<void> => {
    while (service.waiting().waiting === 0) await wait(5);
  };
  const warm: Case = {
    name: `${engine.name} engine, warm`,
    settle,
    async ask() {
      const answer = await service.run({ engine, mask, spec: newSpec(), another: newSpec }, query);
      // The first one starts the program that the second one asks.
      if (answer.warm !== true && measuring) throw new Error('a warm query was answered by a cold start');
      return answer.result;
    },
  };
  const cold: Case = {
    name: `${engine.name} engine, cold`,
    ask: async () => (await coldService.run({ engine, mask, spec: newSpec() }, query)).result,
  };
  return { cases: [warm, cold], service };
}

/** The interpreter itself: `python3` is often a start script. */
const PYTHON = execFileSync('python3', ['-c', 'import os, sys; print(os.path.realpath(sys.executable))'], {
  encoding: 'utf8',
}).trim();

/** The program alone: no limits, no copy of the state, nobody who looks after it. */
const bare: Case = {
  name: 'bare start',
  async ask() {
    const { runDir } = newSpec();
    mkdirSync(runDir, { recursive: true });
    const answer = join(runDir, 'answer.json');
    const env = {
      PATH: process.env.PATH,
      PYTHONDONTWRITEBYTECODE: '1',
      BOT_ID: 'bot_1',
      BOT_CONFIG: '{}',
      STATE_DIR: join(stateDir, '.platform'),
      QUERY_PATH: PATH,
      QUERY_RESULT_FILE: answer,
    };
    const child = spawn(PYTHON, [join(RUNNERS, 'python_runner.py'), 'query.py'], { cwd: codeDir, env });
    await new Promise((done, fail) => {
      child.once('exit', done);
      child.once('error', fail);
    });
    return JSON.parse(readFileSync(answer, 'utf8')).data;
  },
};

/** The same program by the engine's own command line, with the same limits and mounts. */
function dockerRun(image: string, uid: number): Case {
  return {
    name: 'docker run',
    async ask() {
      const { runDir } = newSpec();
      const out = join(runDir, 'query');
      mkdirSync(out, { recursive: true });
      chmodSync(out, 0o777);
      const limits = [
        '--init',
        '--read-only',
        '--cap-drop=ALL',
        '--security-opt=no-new-privileges',
        '--pids-limit=512',
      ];
      const sizes = ['--memory=512m', '--memory-swap=512m', '--cpus=1', '--tmpfs=/tmp:rw,noexec,nosuid,nodev,size=64m'];
      const mounts = [`${codeDir}:/bot:ro`, `${stateDir}:/state:ro`, `${out}:/query`, `${RESOURCES}:/opt/platform:ro`];
      const env = [`QUERY_PATH=${PATH}`, 'QUERY_RESULT_FILE=/query/result.json', 'STATE_DIR=/state/.platform'];
      const own = [...env, 'BOT_ID=bot_1', 'BOT_CONFIG={}', 'PYTHONDONTWRITEBYTECODE=1'];
      const args = ['run', '--rm', ...limits, ...sizes, `--user=${uid}:${uid}`, '--workdir=/bot', '--log-driver=none'];
      const with_ = [...mounts.flatMap((one) => ['-v', one]), ...own.flatMap((one) => ['-e', one])];
      const program = ['python3', '/opt/platform/runners/python_runner.py', 'query.py'];
      const child = spawn('docker', [...args, ...with_, image, ...program], { stdio: 'ignore' });
      await new Promise((done, fail) => {
        child.once('exit', done);
        child.once('error', fail);
      });
      return JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')).data;
    },
  };
}

async function dockerEngine(): Promise<DockerEngine | null> {
  const engine = new DockerEngine({
    address: null,
    hostId: randomBytes(16).toString('hex'),
    runnersDir: RUNNERS,
    sdkDir: join(RESOURCES, 'sdk'),
    workDir: root,
    report: (message, error) => console.error(message, error),
    notice: () => undefined,
  });
  const { available, reason } = await engine.probe();
  if (available) return engine;
  console.log(`without Docker: ${reason}`);
  await engine.close();
  return null;
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const at = (values: readonly number[], share: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

let measuring = false;
const coldService = createQueryService();
const docker = await dockerEngine();
const engines: Engine[] = [createProcessEngine({ runnersDir: RUNNERS }), ...(docker === null ? [] : [docker])];
const services = engines.map(serviceCases);
const byHand = docker === null ? [] : [dockerRun('python:3.11-slim-bookworm', 65_534)];
const cases: Case[] = [bare, ...services.flatMap((one) => one.cases), ...byHand];
const times = new Map<string, number[]>(cases.map(({ name }) => [name, []]));

async function ask({ name, ask, settle }: Case): Promise<void> {
  const begun = performance.now();
  const result = await ask();
  const time = performance.now() - begun;
  if (JSON.stringify(result) !== STATE) throw new Error(`${name} answered ${JSON.stringify(result)}`);
  if (measuring) times.get(name)?.push(time);
  await settle?.();
}

// Twice: the first container is given the state, which makes every program that waits old.
for (const one of [...cases, ...cases]) await ask(one);
measuring = true;
for (let round = 0; round < Number(rounds); round += 1) for (const one of cases) await ask(one);
const base = at(times.get(bare.name) ?? [], 0.5);
const run = at(times.get('docker run') ?? [], 0.5);
console.log(`one query of a Python program that reads ${STATE.length} bytes of state, ${rounds} rounds`);
for (const { name } of cases) {
  const all = times.get(name) ?? [];
  const median = at(all, 0.5);
  const ratio = `${(median / base).toFixed(3)}x bare start${run === 0 ? '' : `, ${(median / run).toFixed(3)}x docker run`}`;
  console.log(
    `${name.padEnd(28)} median ${median.toFixed(1).padStart(7)} ms  p90 ${at(all, 0.9).toFixed(1).padStart(7)} ms  ${ratio}`,
  );
}
for (const service of [coldService, ...services.map((one) => one.service)]) await service.close();
for (const engine of engines) await engine.close();
rmSync(root, { recursive: true, force: true });
