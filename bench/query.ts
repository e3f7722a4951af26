/**
 * Queries to a scheduled bot, side by side with a bare start of the same program, in the same run and under the same load:
 * times on shared machines swing, the ratios do not. The cases take turns; each time is from the question to its answer.
 * Where there can be a Docker engine its containers are asked as well, beside `docker run` of the same program.
 * Needs Python. Usage: node bench/query.ts [--quick] [--json FILE] [rounds=40]
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DockerEngine } from '../src/main/host/engine/docker/docker-engine.ts';
import type { Engine, UnitSpec } from '../src/main/host/engine/engine.ts';
import { createProcessEngine } from '../src/main/host/engine/process/process-engine.ts';
import { createQueryService, type QueryService } from '../src/main/host/query/query-service.ts';
import { Bench } from './support/bench.ts';
import { type EngineOfBench, IMAGE, withEngine } from './support/engine.ts';
import { at } from './support/figures.ts';
import { ROOT } from './support/host.ts';
import { tempFolder } from './support/temp.ts';

const bench = new Bench({ rounds: [40, 8] });
const { rounds } = bench.sizes;
const RESOURCES = join(ROOT, 'resources');
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

const root = tempFolder('query');
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
    code: { hash: '', dir: codeDir },
    runDir: join(root, 'runs', runId),
    env: { BOT_ID: 'bot_1', BOT_CONFIG: '{}', BOT_TYPE: 'scheduled', RUN_ID: runId },
    limits: {},
    queryRun: true,
    epoch: 1,
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

/** The program alone: no limits, no copy of the state, no supervision. */
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
function dockerRun(host: string, uid: number): Case {
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
      const child = spawn('docker', [...args, ...with_, IMAGE, ...program], {
        stdio: 'ignore',
        env: { ...process.env, DOCKER_HOST: host },
      });
      await new Promise((done, fail) => {
        child.once('exit', done);
        child.once('error', fail);
      });
      return JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')).data;
    },
  };
}

function dockerEngine(host: string): DockerEngine {
  return new DockerEngine({
    address: host,
    hostId: randomBytes(16).toString('hex'),
    runnersDir: RUNNERS,
    stateDir: () => stateDir,
    sdkDir: join(RESOURCES, 'sdk'),
    workDir: root,
    report: (message, error) => console.error(message, error),
    notice: () => undefined,
  });
}

let measuring = false;
const coldService = createQueryService();

async function measure(found: EngineOfBench | null): Promise<void> {
  const docker = found === null ? null : dockerEngine(found.host);
  await docker?.probe();
  const engines: Engine[] = [
    createProcessEngine({ runnersDir: RUNNERS, stateDir: () => stateDir, botsDir: stateDir }),
    ...(docker === null ? [] : [docker]),
  ];
  const services = engines.map(serviceCases);
  const byHand = found === null ? [] : [dockerRun(found.host, 65_534)];
  const cases: Case[] = [bare, ...services.flatMap((one) => one.cases), ...byHand];
  const times = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
  const ask = async ({ name, ask: question, settle }: Case): Promise<void> => {
    const begun = performance.now();
    const result = await question();
    const time = performance.now() - begun;
    if (JSON.stringify(result) !== STATE) throw new Error(`${name} answered ${JSON.stringify(result)}`);
    if (measuring) times.get(name)?.push(time);
    await settle?.();
  };
  // Twice: the first container receives the state, which outdates every prewarmed process.
  for (const one of [...cases, ...cases]) await ask(one);
  measuring = true;
  bench.mark();
  for (let round = 0; round < rounds; round += 1) for (const one of cases) await ask(one);
  for (const { name } of cases) {
    if (name === bare.name || name === 'docker run') continue;
    const peer = name.startsWith('docker') ? 'docker run' : bare.name;
    const all = times.get(name) ?? [];
    bench.row({
      row: `query-${name.replaceAll(/\W+/g, '-')}`,
      title: `Query to a scheduled bot, ${name}, p50`,
      unit: 'ms',
      ours: at(all, 0.5),
      peer: { name: peer, value: at(times.get(peer) ?? [], 0.5) },
      note: `p90 ${at(all, 0.9).toFixed(1)} ms; ${STATE.length} bytes of state, ${rounds} rounds`,
    });
  }
  for (const service of [coldService, ...services.map((one) => one.service)]) await service.close();
  for (const engine of engines) await engine.close();
}

try {
  await withEngine(measure);
  bench.done();
} finally {
  rmSync(root, { recursive: true, force: true });
}
