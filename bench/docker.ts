/**
 * Bots in containers, side by side with the engine's own command line in the same run: a query through the host beside
 * the same question put to the container itself and through a bare proxy, the start of many bots beside `docker run -d`,
 * and what a bot costs the host in memory. Needs Docker, and a build (`npm run build`).
 * Usage: node bench/docker.ts [--quick] [--json FILE] [containers=50] [queries=500]
 */
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Bench } from './support/bench.ts';
import { type EngineOfBench, IMAGE, withEngine } from './support/engine.ts';
import { at } from './support/figures.ts';
import { type StartedHost, startHost } from './support/host.ts';
import { residentBytes } from './support/processes.ts';
import { call, deploy, deployOneFile, publishOneFile, reached, tokenOf } from './support/publish.ts';

const bench = new Bench({ containers: [50, 5], queries: [500, 50] });
const { containers, queries } = bench.sizes;

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

async function benchQueries(host: StartedHost, { docker }: EngineOfBench): Promise<void> {
  // The bot answers the host alone, which sends its token; the bench asks for it through the host.
  const server = `import os
TOKEN = os.environ.get("QUERY_TOKEN")
from platform_sdk import query
query.handler("/token", lambda request: TOKEN)
query.handler("/status", lambda request: {"ok": True})
query.run()
`;
  const bot = await deployOneFile(host, {
    name: 'asked',
    entry: 'bot.py',
    source: 'import time\nwhile True:\n    time.sleep(60)\n',
    query: ['query.py', server],
  });
  await reached(host, [bot], 'running');
  const inspect = ['ps', '--filter', `label=bot-platform.bot=${bot}`, '--filter', 'label=bot-platform.role=bot', '-q'];
  const id = await docker(...inspect);
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
  const address = await docker('inspect', '-f', format, id);
  const token = { 'x-query-token': await tokenOf(host, bot) };
  const direct = () => post(`http://${address}:9476/status`, '{}', token);
  const through = () =>
    post(`${host.url}/bot/${bot}/query`, '{"path":"/status"}', { authorization: `Bearer ${host.token}` });
  const proxy = spawn(process.execPath, [join(import.meta.dirname, 'support/bare-proxy.ts'), address, '9476'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const proxyPort = await new Promise((done) => createInterface({ input: proxy.stdout }).once('line', done));
  const bare = () => post(`http://127.0.0.1:${proxyPort}/status`, '{}', token);
  const times: Record<'direct' | 'bare' | 'through', number[]> = { direct: [], bare: [], through: [] };
  bench.mark();
  for (let round = -100; round < queries; round += 1) {
    const [a, b, c] = [await direct(), await bare(), await through()];
    if (round < 0) continue;
    times.direct.push(a);
    times.bare.push(b);
    times.through.push(c);
  }
  proxy.kill();
  const [a, b, c] = [at(times.direct, 0.5), at(times.bare, 0.5), at(times.through, 0.5)];
  bench.row({
    row: 'docker-query',
    title: 'Query to a bot in a container, p50',
    unit: 'ms',
    ours: c,
    peer: { name: 'a bare proxy', value: b },
    note:
      `the container itself ${a.toFixed(2)} ms; p90 ${at(times.through, 0.9).toFixed(2)}, ` +
      `${at(times.bare, 0.9).toFixed(2)} and ${at(times.direct, 0.9).toFixed(2)} ms; ${queries} queries`,
  });
  await call(host, 'DELETE', `/api/v1/bots/${bot}`);
}

async function benchStart(host: StartedHost, { docker }: EngineOfBench): Promise<void> {
  await publishOneFile(host, {
    name: 'sleeps',
    entry: 'bot.py',
    source: 'import os\nos.execvp("sleep", ["sleep", "1000000"])\n',
  });
  bench.mark();
  const before = residentBytes(host.pid);
  const begun = performance.now();
  const bots = await Promise.all(
    Array.from({ length: containers }, (_, n) =>
      deploy(host, { name: `sleeps ${n}`, type: 'realtime/sleeps', version: '1.0.0', config: {} }),
    ),
  );
  await reached(host, bots, 'running');
  const ours = performance.now() - begun;
  const memory = (residentBytes(host.pid) - before) / containers / 1024;
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
  for (let n = 0; n < containers; n += 1) {
    const args = ['run', ...flags, label, IMAGE, 'sleep', '1000000'];
    await docker(...args);
  }
  const theirs = performance.now() - peer;
  const ids = await docker('ps', '-aq', '--filter', 'label=bench-docker-peer');
  await docker('rm', '-f', ...ids.split('\n'));
  bench.row({
    row: 'docker-start-many',
    title: `Start of ${containers} bots in containers`,
    unit: 's',
    ours: ours / 1000,
    peer: { name: 'docker run -d, one after another', value: theirs / 1000 },
    note: `${memory.toFixed(0)} kB of the host's memory a bot`,
  });
  const ending = performance.now();
  await Promise.all(bots.map((bot) => call(host, 'DELETE', `/api/v1/bots/${bot}`)));
  console.log(`removal of ${containers} bots: ${((performance.now() - ending) / 1000).toFixed(1)} s`);
}

await withEngine(async (engine) => {
  if (engine === null) return;
  const host = await startHost({ engine: 'docker', dockerHost: engine.host });
  try {
    await benchQueries(host, engine);
    await benchStart(host, engine);
  } finally {
    agent.destroy();
    await host.close();
  }
});
bench.done();
