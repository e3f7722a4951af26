/**
 * Many bots: how fast 100 of them start beside the same programs started by hand, what 200 that run cost the host in
 * memory, what a host without bots costs, and with 10,000 bots and their logs how long the host takes to start and to list
 * them. Needs python3 and a build (`npm run build`). Usage: node bench/many.ts [--quick] [--json FILE] [bots=10000]
 * [lines=1000] [running=200] [lists=100] [idle=20]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { createTelemetry } from '../src/main/host/logs/create-telemetry.ts';
import { newId } from '../src/shared/sortable-ids.ts';
import { Bench } from './support/bench.ts';
import { at, median } from './support/figures.ts';
import { type StartedHost, startHost } from './support/host.ts';
import { writeLines } from './support/lines.ts';
import { cpuSeconds, residentBytes } from './support/processes.ts';
import { deploy, publishOneFile } from './support/publish.ts';
import { tempFolder } from './support/temp.ts';

const bench = new Bench({
  bots: [10_000, 500],
  /** Of each bot. */
  lines: [1000, 100],
  running: [200, 20],
  lists: [100, 20],
  /** Seconds in which the host does nothing. */
  idle: [20, 5],
});
const { bots, lines, running, lists, idle } = bench.sizes;
const root = tempFolder('many');

/** Leaves a file with the number of its process, then becomes `sleep`. */
const sleeper = (folder: string): string => `
import os
open(os.path.join(${JSON.stringify(folder)}, str(os.getpid())), "w").close()
os.execvp("sleep", ["sleep", "1000000"])
`;

async function filled(folder: string, count: number): Promise<void> {
  while (readdirSync(folder).length < count) await wait(5);
}

/** What a host without bots costs once its start is over. */
async function measureIdle(host: StartedHost): Promise<void> {
  await wait(idle * 1000);
  bench.mark();
  const before = cpuSeconds(host.pid);
  await wait(idle * 1000);
  bench.row({
    row: 'idle-share',
    title: 'Host without bots, processor share',
    unit: '% of a core',
    ours: ((cpuSeconds(host.pid) - before) / idle) * 100,
    bounds: [{ of: 'ours', most: 0.5 }],
    note: `in ${idle} s, ${idle} s after its start; Linux counts in steps of 10 ms`,
  });
}

async function measureRunning(): Promise<void> {
  const folder = join(root, 'running');
  const byHand = join(root, 'by-hand');
  for (const dir of [folder, byHand]) mkdirSync(dir);
  const host = await startHost();
  const children: ChildProcess[] = [];
  try {
    await measureIdle(host);
    await publishOneFile(host, { name: 'sleeps', entry: 'bot.py', source: sleeper(folder) });
    const program = join(root, 'sleeper.py');
    writeFileSync(program, sleeper(byHand));
    const half = running >> 1;
    const ours: number[] = [];
    const peer: number[] = [];
    const before = residentBytes(host.pid);
    bench.mark();
    for (let round = 0; round < 2; round += 1) {
      let begun = performance.now();
      for (let n = 0; n < half; n += 1) children.push(spawn('python3', [program], { stdio: 'ignore' }));
      await filled(byHand, (round + 1) * half);
      peer.push(performance.now() - begun);
      begun = performance.now();
      const names = Array.from({ length: half }, (_, n) => `sleeps ${round} ${n}`);
      await Promise.all(
        names.map((name) => deploy(host, { name, type: 'realtime/sleeps', version: '1.0.0', config: {} })),
      );
      await filled(folder, (round + 1) * half);
      ours.push(performance.now() - begun);
    }
    bench.row({
      row: 'start-many',
      title: `Deploy and start of ${half} bots`,
      unit: 'ms',
      ours: median(ours),
      peer: { name: 'the same programs by hand', value: median(peer) },
      note: `until each program has begun; the rounds were ${ours.map((ms) => `${ms.toFixed(0)} ms`).join(' and ')}`,
    });
    await wait(2000);
    const after = residentBytes(host.pid);
    bench.row({
      row: 'memory-running',
      title: `Memory of the host with ${running} running bots`,
      unit: 'MB',
      ours: after / 1e6,
      peer: { name: 'without bots', value: before / 1e6 },
      note: `${((after - before) / running / 1000).toFixed(0)} kB a bot`,
    });
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await host.close();
  }
}

/** A data folder whose host knows so many bots, each with a log. */
async function seeded(): Promise<string> {
  const dataDir = join(root, 'data');
  const host = await startHost({ dataDir });
  await publishOneFile(host, { name: 'waits', entry: 'bot.py', source: 'pass\n', type: 'scheduled' });
  const request = { name: 'seed', type: 'scheduled/waits', version: '1.0.0', schedule: '0 0 1 1 *', config: {} };
  const first = await deploy(host, request);
  await host.stop();
  const output = join(root, 'output');
  writeLines([output], lines);
  mkdirSync(join(root, 'template'));
  const template = await createTelemetry({ dataDir: join(root, 'template') });
  await template.attach({ botId: 'bot_1', runId: 'run_1', path: output, source: 'stdout' });
  await template.finish('bot_1', 'run_1');
  await template.close();
  const log = join(root, 'template/bots/bot_1');
  const db = new Database(join(dataDir, 'control.db'));
  const columns = db.prepare<[], { name: string }>("select name from pragma_table_info('bot')").all();
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => (name === 'bot_id' || name === 'name' ? `@${name}` : name));
  const copy = db.prepare(`insert into bot(${names}) select ${values} from bot where bot_id = @first`);
  db.transaction(() => {
    for (let n = 1; n < bots; n += 1) {
      const id = newId('bot', Date.now(), randomBytes(10));
      copy.run({ bot_id: id, name: `waits ${String(n).padStart(5, '0')}`, first });
      cpSync(log, join(dataDir, 'bots', id), { recursive: true });
    }
  })();
  db.close();
  return dataDir;
}

/** One GET over a connection that is kept; its bytes. */
function got(agent: Agent, url: string, headers: Record<string, string>): Promise<Buffer> {
  return new Promise((done, fail) => {
    get(url, { agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () => done(Buffer.concat(chunks)));
      answer.once('error', fail);
    }).once('error', fail);
  });
}

async function measureList(host: StartedHost): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${host.token}` };
  const list = `${host.url}/api/v1/bots`;
  const body = await got(agent, list, headers);
  const { items }: { items: unknown[] } = JSON.parse(body.toString());
  if (items.length !== bots) throw new Error(`${items.length} of ${bots} bots are listed`);
  // The peer has its answer ready: what is left is HTTP.
  const server = createServer((_, response) => response.writeHead(200, { 'content-length': body.length }).end(body));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const bare = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/`;
  const ours: number[] = [];
  const peer: number[] = [];
  bench.mark();
  for (let round = -5; round < lists; round += 1) {
    let begun = performance.now();
    await got(agent, list, headers);
    const a = performance.now() - begun;
    begun = performance.now();
    await got(agent, bare, {});
    if (round < 0) continue;
    ours.push(a);
    peer.push(performance.now() - begun);
  }
  agent.destroy();
  server.close();
  const name = 'the same bytes by node:http';
  const title = `List of ${bots.toLocaleString('en-US')} bots`;
  const bytes = `${(body.length / 1e6).toFixed(1)} MB`;
  bench.row({
    row: 'list-p50',
    title: `${title}, p50`,
    unit: 'ms',
    ours: median(ours),
    peer: { name, value: median(peer) },
    note: bytes,
  });
  bench.row({
    row: 'list-p99',
    title: `${title}, p99`,
    unit: 'ms',
    ours: at(ours, 0.99),
    peer: { name, value: at(peer, 0.99) },
    bounds: [{ of: 'ours', most: 50 }],
  });
}

async function measureStart(): Promise<void> {
  const dataDir = await seeded();
  const cold: number[] = [];
  const fresh: number[] = [];
  bench.mark();
  for (let round = 0; round < 3; round += 1) {
    const empty = await startHost();
    fresh.push(empty.readyMs);
    await empty.close();
    const host = await startHost({ dataDir });
    cold.push(host.readyMs);
    if (round === 2) {
      const { length } = readFileSync(join(dataDir, 'control.db'));
      bench.row({
        row: 'cold-start',
        title: `Start of the host with ${bots.toLocaleString('en-US')} bots and ${(bots * lines).toLocaleString('en-US')} lines`,
        unit: 'ms',
        ours: median(cold),
        peer: { name: 'on a fresh folder', value: median(fresh) },
        bounds: [{ of: 'ratio', most: 1.5 }],
        note: `until it says that it is ready; control.db ${(length / 1e6).toFixed(1)} MB, memory ${(residentBytes(host.pid) / 1e6).toFixed(0)} MB`,
      });
      await measureList(host);
    }
    await host.stop();
  }
}

try {
  await measureRunning();
  await measureStart();
  bench.done();
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
