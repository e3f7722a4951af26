/**
 * Bots in containers, side by side with the engine's own command line in the same run: a query through the host beside
 * the same question put to the container itself and through a bare proxy, the start of many bots beside `docker run -d`, and what a bot costs the
 * host in memory. Needs Docker (DOCKER_HOST), the image of python311, and a build (`npm run build`).
 * Usage: node bench/docker.ts [containers, default 50] [queries, default 500]
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { call, deploy, type HostOfBench, publish } from './publish.ts';

const [containers = '50', queries = '500'] = process.argv.slice(2);
const ROOT = resolve(import.meta.dirname, '..');
const SCHEMA = JSON.stringify({ type: 'object', properties: {} });
const config = (name: string, runtime: string, entry: string, more = ''): string =>
  `name: ${name}\nversion: "1.0.0"\ntype: realtime\nruntime: ${runtime}\nentrypoints:\n  bot: ${entry}\n${more}schema:\n  bot: bot-schema.json\n`;

const dataDir = mkdtempSync(join(tmpdir(), 'bench-docker-'));

function start(): Promise<{ child: ChildProcess; url: string }> {
  const args = [
    join(ROOT, 'out/main/serve.js'),
    '--data',
    dataDir,
    '--port',
    '0',
    '--engine',
    'docker',
    '--rate-limit',
    '10000',
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((done, fail) => {
    child.once('error', fail);
    createInterface({ input: child.stdout }).once('line', (line) => done({ child, url: JSON.parse(line).url }));
  });
}

/** What a command of the engine's own command line prints. */
async function docker(...args: string[]): Promise<string> {
  return (await promisify(execFile)('docker', args)).stdout.trim();
}

const agent = new Agent({ keepAlive: true });

/** Time of one POST, ms. */
function post(url: string, body: string, headers: Record<string, string>): Promise<number> {
  const begun = performance.now();
  return new Promise((done, fail) => {
    const own = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers };
    const outgoing = request(url, { agent, method: 'POST', headers: own }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        answer.statusCode === 200 ? done(performance.now() - begun) : fail(new Error(`${url}: ${answer.statusCode}`)),
      );
    });
    outgoing.once('error', fail);
    outgoing.end(body);
  });
}

const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

/** What Linux counts for a process, bytes. */
function resident(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
}

async function running(host: HostOfBench, bots: readonly string[]): Promise<void> {
  for (const bot of bots) {
    for (;;) {
      const record = await call(host, 'GET', `/api/v1/bots/${bot}`);
      if (typeof record === 'object' && record !== null && 'status' in record && record.status === 'running') break;
      await wait(20);
    }
  }
}

async function benchQueries(host: HostOfBench): Promise<void> {
  const server =
    'from platform_sdk import query\nquery.handler("/status", lambda request: {"ok": True})\nquery.run()\n';
  await publish(host, {
    'bot.py': 'import time\nwhile True:\n    time.sleep(60)\n',
    'query.py': server,
    'bot-config.yaml': config('asked', 'python311', 'bot.py', '  query: query.py\n'),
    'bot-schema.json': SCHEMA,
  });
  const bot = await deploy(host, { name: 'asked', type: 'realtime/asked', version: '1.0.0', config: {} });
  await running(host, [bot]);
  const inspect = ['ps', '--filter', `label=bot-platform.bot=${bot}`, '--filter', 'label=bot-platform.role=bot', '-q'];
  const id = await docker(...inspect);
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
  const address = await docker('inspect', '-f', format, id);
  const direct = () => post(`http://${address}:9476/status`, '{}', {});
  const through = () =>
    post(`${host.url}/bot/${bot}/query`, '{"path":"/status"}', { authorization: `Bearer ${host.token}` });
  const proxy = spawn(process.execPath, [join(ROOT, 'bench/bare-proxy.ts'), address, '9476'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const proxyPort = await new Promise((done) => createInterface({ input: proxy.stdout }).once('line', done));
  const bare = () => post(`http://127.0.0.1:${proxyPort}/status`, '{}', {});
  for (let tries = 0; ; tries += 1) {
    try {
      await through();
      break;
    } catch (error) {
      if (tries > 200) throw error;
      await wait(50);
    }
  }
  const times: Record<'direct' | 'bare' | 'through', number[]> = { direct: [], bare: [], through: [] };
  for (let round = -100; round < Number(queries); round += 1) {
    const [a, b, c] = [await direct(), await bare(), await through()];
    if (round < 0) continue;
    times.direct.push(a);
    times.bare.push(b);
    times.through.push(c);
  }
  proxy.kill();
  const [a, b, c] = [at(times.direct, 0.5), at(times.bare, 0.5), at(times.through, 0.5)];
  console.log(
    `realtime query, p50 of ${queries}: direct ${a.toFixed(2)} ms, a bare proxy ${b.toFixed(2)} ms, through the host ` +
      `${c.toFixed(2)} ms: ${(c - a).toFixed(2)} ms more than direct, ${(c / b).toFixed(2)}x of the proxy; ` +
      `p90 ${at(times.direct, 0.9).toFixed(2)}, ${at(times.bare, 0.9).toFixed(2)} and ${at(times.through, 0.9).toFixed(2)} ms`,
  );
  await call(host, 'DELETE', `/api/v1/bots/${bot}`);
}

async function benchStart(host: HostOfBench, pid: number): Promise<void> {
  const count = Number(containers);
  await publish(host, {
    'bot-config.yaml': config('sleeps', 'python311', 'bot.py'),
    'bot.py': 'import os\nos.execvp("sleep", ["sleep", "1000000"])\n',
    'bot-schema.json': SCHEMA,
  });
  const before = resident(pid);
  const begun = performance.now();
  const bots = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      deploy(host, { name: `sleeps ${n}`, type: 'realtime/sleeps', version: '1.0.0', config: {} }),
    ),
  );
  await running(host, bots);
  const ours = performance.now() - begun;
  const memory = (resident(pid) - before) / count / 1024;
  const peer = performance.now();
  const flags = [
    '-d',
    '--init',
    '--read-only',
    '--cap-drop=ALL',
    '--memory=512m',
    '--pids-limit=512',
    '--log-driver=none',
  ];
  const label = '--label=bench-docker-peer';
  for (let n = 0; n < count; n += 1) {
    const args = ['run', ...flags, label, 'python:3.11-slim-bookworm', 'sleep', '1000000'];
    await docker(...args);
  }
  const theirs = performance.now() - peer;
  const ids = await docker('ps', '-aq', '--filter', 'label=bench-docker-peer');
  await docker('rm', '-f', ...ids.split('\n'));
  console.log(
    `start of ${count} bots: ${(ours / 1000).toFixed(1)} s, docker run -d one after another ${(theirs / 1000).toFixed(1)} s: ` +
      `${(ours / theirs).toFixed(2)}x; host memory ${memory.toFixed(0)} kB a bot`,
  );
  const ending = performance.now();
  await Promise.all(bots.map((bot) => call(host, 'DELETE', `/api/v1/bots/${bot}`)));
  console.log(`removal of ${count} bots: ${((performance.now() - ending) / 1000).toFixed(1)} s`);
}

const { child, url } = await start();
const ended = new Promise((done) => child.once('exit', done));
try {
  const { token, pid } = JSON.parse(readFileSync(join(dataDir, 'host.json'), 'utf8'));
  await benchQueries({ url, token });
  await benchStart({ url, token }, pid);
} finally {
  agent.destroy();
  child.kill('SIGTERM');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}
