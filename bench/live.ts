/**
 * Live lines: a bot that prints 10,000 lines a second before 50 readers, half of them pages (WebSocket), half of them followers
 * (server-sent events), beside a minimal server that shows a growing file to as many. Needs python3 and a build. Usage: node
 * bench/live.ts [--quick] [--json FILE] [seconds=12] [viewers=50] [rate=10000] [rounds=2]
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Bench } from './support/bench.ts';
import { at, median } from './support/figures.ts';
import { type StartedHost, startHost } from './support/host.ts';
import { cpuSeconds } from './support/processes.ts';
import { deployOneFile, reached } from './support/publish.ts';
import { tempFolder } from './support/temp.ts';
import type { ViewersOrder, ViewersReport } from './support/viewers.ts';

const bench = new Bench({ seconds: [12, 4], viewers: [50, 50], rate: [10_000, 10_000], rounds: [2, 1] });
const { seconds, viewers, rate, rounds } = bench.sizes;
const WARM_UP = 3;
/** Longest that a line waits for its transaction, ms. */
const FLUSH_MS = 50;
const SUPPORT = join(import.meta.dirname, 'support');

/** Prints lines at a steady rate; each begins with its time. */
const TALKER = `
import sys, time
begun, n = time.time(), 0
while True:
    due = int((time.time() - begun) * ${rate})
    while n < due:
        n += 1
        sys.stdout.write(f"{time.time():.3f} tick {n:09d} SPY checked against the book of venue {n % 13}\\n")
    sys.stdout.flush()
    time.sleep(0.01)
`;

interface Watched {
  readonly late: readonly number[];
  /** Share of one core. */
  readonly share: number;
}

/** Has the readers read, and counts what the server takes for it meanwhile. */
async function watch(pid: number, order: Omit<ViewersOrder, 'seconds' | 'warmUp'>): Promise<Watched> {
  const all: ViewersOrder = { ...order, seconds, warmUp: WARM_UP };
  const run = promisify(execFile)(process.execPath, [join(SUPPORT, 'viewers.ts'), JSON.stringify(all)], {
    maxBuffer: 1 << 28,
  });
  await wait(WARM_UP * 1000);
  const before = cpuSeconds(pid);
  const begun = performance.now();
  await wait(seconds * 900);
  const share = (cpuSeconds(pid) - before) / ((performance.now() - begun) / 1000);
  const report: ViewersReport = JSON.parse((await run).stdout);
  if (report.fewest < rate * seconds * 0.8) throw new Error(`a reader saw ${report.fewest} lines in ${seconds} s`);
  return { late: report.late, share };
}

async function share(pid: number): Promise<number> {
  const before = cpuSeconds(pid);
  const begun = performance.now();
  await wait(seconds * 500);
  return (cpuSeconds(pid) - before) / ((performance.now() - begun) / 1000);
}

const viewersOf = (host: StartedHost, bot: string): Omit<ViewersOrder, 'seconds' | 'warmUp'> => {
  const sockets = Math.floor(viewers / 2);
  return {
    headers: { authorization: `Bearer ${host.token}` },
    sockets: {
      url: `${host.url.replace('http', 'ws')}/api/v1/socket`,
      count: sockets,
      first: JSON.stringify({ id: 1, stream: 'logs.stream', input: { bot_id: bot } }),
    },
    streams: { url: `${host.url}/api/v1/bots/${bot}/stream`, count: viewers - sockets },
  };
};

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill();
  await gone;
}

const folder = tempFolder('live');
const file = join(folder, 'output');
const out = openSync(file, 'w');
const host = await startHost();
const children: ChildProcess[] = [];
try {
  const bot = await deployOneFile(host, { name: 'talks', entry: 'bot.py', source: TALKER });
  await reached(host, [bot], 'running');
  const alone = await share(host.pid);
  const ours: Watched[] = [];
  const peer: Watched[] = [];
  const talker = spawn('python3', ['-c', TALKER], { stdio: ['ignore', out, 'inherit'] });
  const fanOut = spawn(process.execPath, [join(SUPPORT, 'fan-out.ts'), file], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(talker, fanOut);
  const port = await new Promise((done) => createInterface({ input: fanOut.stdout }).once('line', done));
  const url = `ws://127.0.0.1:${port}`;
  bench.mark();
  for (let round = 0; round < rounds; round += 1) {
    talker.kill('SIGSTOP');
    ours.push(await watch(host.pid, viewersOf(host, bot)));
    talker.kill('SIGCONT');
    peer.push(
      await watch(fanOut.pid ?? 0, { headers: {}, sockets: { url, count: viewers, first: null }, streams: null }),
    );
  }
  const late = (all: readonly Watched[], part: number): number => median(all.map((one) => at(one.late, part)));
  const name = 'a bare fan-out';
  bench.row({
    row: 'live-p99',
    title: `Live lines, ${rate.toLocaleString('en-US')} a second, ${viewers} readers, p99 from print to page`,
    unit: 'ms',
    ours: late(ours, 0.99),
    peer: { name, value: late(peer, 0.99) },
    bounds: [{ of: 'ours', most: FLUSH_MS + 25 }],
    note: `p50 ${late(ours, 0.5).toFixed(0)} and ${late(peer, 0.5).toFixed(0)} ms`,
  });
  bench.row({
    row: 'live-share',
    title: `The same, processor share of the host`,
    unit: '% of a core',
    ours: median(ours.map((one) => one.share)) * 100,
    peer: { name, value: median(peer.map((one) => one.share)) * 100 },
    bounds: [{ of: 'ours', most: 10 }],
    note: `${(alone * 100).toFixed(1)} % of it without readers: reading, masking and storing the lines`,
  });
  bench.done();
} finally {
  for (const child of children) {
    child.kill('SIGCONT');
    await ended(child);
  }
  closeSync(out);
  await host.close();
  rmSync(folder, { recursive: true, force: true });
}
