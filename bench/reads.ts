/**
 * Reads of a long log over HTTP beside the tools that people use for that: `docker logs`, ripgrep, grep and SQLite's own
 * command line on the same lines. They take turns. Needs python3, ripgrep, sqlite3 and a build (`npm run build`).
 * Usage: node bench/reads.ts [--quick] [--json FILE] [lines=10000000] [points=1000000] [rounds=40] [slow=3]
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { lineBlocks, metricBlocks } from '../test/support/log-files.ts';
import { Bench } from './support/bench.ts';
import { type EngineOfBench, withEngine } from './support/engine.ts';
import { at, median } from './support/figures.ts';
import { type StartedHost, startHost } from './support/host.ts';
import { logByJsonFile } from './support/json-file.ts';
import { cpuSeconds } from './support/processes.ts';
import { call, deployOneFile, logPage, printed } from './support/publish.ts';
import { tempFolder } from './support/temp.ts';

const bench = new Bench({
  lines: [10_000_000, 300_000],
  points: [1_000_000, 60_000],
  rounds: [40, 10],
  /** Rounds of what takes seconds. */
  slow: [3, 1],
});
const { lines, points, rounds, slow } = bench.sizes;
const LAST = 'all is printed';
/** Occurs in the second line only, so that a search for it reads everything. */
const RARE = 'needle-in-the-haystack';

const lineAt = (n: number): string =>
  n === 2
    ? `INFO ${RARE}`
    : n % 1000 === 0
      ? `WARN slow venue ${n}`
      : `2026-11-20T14:00:00.000Z INFO order ${n} SPY checked against the book, spread ${n % 97} of ${n % 13} venues`;

async function writeAll(file: string): Promise<void> {
  const out = createWriteStream(file);
  for (let n = 1; n <= lines; ) {
    const chunk: string[] = [];
    for (const end = Math.min(lines, n + 20_000); n <= end; n += 1) chunk.push(lineAt(n));
    if (!out.write(`${chunk.join('\n')}\n`)) await once(out, 'drain');
  }
  out.end(`${LAST}\n`);
  await once(out, 'close');
}

/** A bot that prints a file as it is, then waits. */
const printer = (file: string): string => `
import shutil, sys, time
with open(${JSON.stringify(file)}, 'rb') as source:
    shutil.copyfileobj(source, sys.stdout.buffer, 1 << 20)
sys.stdout.flush()
time.sleep(1000000)
`;

const sampler = `
import sys, time
for n in range(${points}):
    sys.stdout.write('{"_metric":"price","value":%.2f}\\n' % (500 + (n * 7919 % 1009) / 50))
print(${JSON.stringify(LAST)}, flush=True)
time.sleep(1000000)
`;

async function timed(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Runs a program for its output; discards its output. */
function tool(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
}

const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** One database with all that the log of a bot holds in its segments, a row for each line: what SQLite itself is asked. */
function logDatabase(host: StartedHost, bot: string, to: string): string {
  const db = new Database(to);
  db.pragma('journal_mode = off');
  db.exec(`create table log(seq integer primary key, ts integer not null, line text not null);
create table point(series integer, t integer, seq integer, value real, primary key(series, t, seq)) without rowid;
begin`);
  const addLine = db.prepare('insert into log values(?, ?, ?)');
  const addPoint = db.prepare('insert into point values(?, ?, ?, ?)');
  for (const block of lineBlocks(host.dataDir, bot)) {
    for (let at = 0; at < block.count; at += 1) {
      const { seq, ts, line } = block.line(at);
      addLine.run(seq, ts, line);
    }
  }
  for (const block of metricBlocks(host.dataDir, bot)) {
    for (const series of new Set(block.series)) {
      block.eachPoint(series, (t, seq, value) => addPoint.run(series, t, seq, value));
    }
  }
  db.exec('commit');
  db.close();
  return to;
}

/** SQLite's own command line on the same rows, ms without its start. */
function sqlite(database: string, sql: string): number {
  const { status, stdout, stderr } = spawnSync('sqlite3', ['-readonly', database], {
    input: `.timer on\n${sql};\n`,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const seconds = /Run Time: real (\S+)/.exec(stdout)?.[1];
  if (status !== 0 || seconds === undefined) throw new Error(`sqlite3: ${stderr}`);
  return Number(seconds) * 1000;
}

/** Asks until everything was looked at; how many requests that took. */
async function searchAll(host: StartedHost, bot: string, text: string): Promise<number> {
  let before: number | null = null;
  for (let asked = 1; ; asked += 1) {
    const from: string = before === null ? '' : `&before=${before}`;
    const page = await logPage(host, bot, `search=${encodeURIComponent(text)}&limit=100${from}`);
    if (page.entries.length > 0) return asked;
    if (page.older_before === null) throw new Error(`${text} was not found`);
    before = page.older_before;
  }
}

async function measureNewest(host: StartedHost, bot: string, engine: EngineOfBench | null, folder: string) {
  const log = engine === null ? null : await logByJsonFile(engine, folder, 'lines');
  const ours: number[] = [];
  const peer: number[] = [];
  bench.mark();
  for (let round = -3; round < rounds; round += 1) {
    const a = await timed(() => logPage(host, bot, 'limit=1000'));
    const b = log === null ? 0 : await timed(() => engine?.docker('logs', '--tail', '1000', log.container));
    if (round < 0) continue;
    ours.push(a);
    peer.push(b);
  }
  bench.row({
    row: 'newest-1000',
    title: `Newest 1,000 of ${lines.toLocaleString('en-US')} lines over HTTP, p50`,
    unit: 'ms',
    ours: median(ours),
    ...(log === null ? {} : { peer: { name: 'docker logs --tail 1000 (json-file)', value: median(peer) } }),
    bounds: [{ of: 'ratio', most: 0.25 }],
    note: `p99 ${at(ours, 0.99).toFixed(1)} ms, the peer's with its command line`,
  });
  if (log !== null) await engine?.docker('rm', '-f', log.container);
}

async function measureRange(host: StartedHost, bot: string, database: string): Promise<void> {
  const newest = Date.parse((await logPage(host, bot, 'limit=1')).entries[0]?.ts ?? '');
  const [oldest] = (await logPage(host, bot, 'after=0&limit=1')).entries;
  const begun = Date.parse(oldest?.ts ?? '');
  const ours: number[] = [];
  bench.mark();
  let range = { from: 0, to: 0 };
  for (let round = -3; round < rounds; round += 1) {
    const middle = begun + ((newest - begun) * ((round + 3.5) % 17)) / 17;
    range = { from: Math.floor(middle), to: Math.floor(middle + (newest - begun) / 20) };
    const text = `${new Date(range.from).toISOString()}/${new Date(range.to).toISOString()}`;
    const ms = await timed(() => logPage(host, bot, `limit=1000&date_range=${encodeURIComponent(text)}`));
    if (round >= 0) ours.push(ms);
  }
  const sql = `select seq, ts, line from log where ts >= ${range.from} and ts < ${range.to} order by seq desc limit 1000`;
  const peer = Array.from({ length: slow }, () => sqlite(database, sql));
  bench.row({
    row: 'date-range',
    title: 'Page of 1,000 lines within a date range, p99',
    unit: 'ms',
    ours: at(ours, 0.99),
    peer: { name: 'sqlite3 by ts, without HTTP', value: median(peer) },
    bounds: [{ of: 'ours', most: 10 }],
    note: `p50 ${median(ours).toFixed(1)} ms`,
  });
}

async function measureSearch(host: StartedHost, bot: string, database: string, file: string): Promise<void> {
  const page: number[] = [];
  const bySqlite: number[] = [];
  bench.mark();
  for (let round = -3; round < rounds; round += 1) {
    const a = await timed(() => logPage(host, bot, `search=${encodeURIComponent('slow venue')}&limit=100`));
    const b = sqlite(
      database,
      `select seq, ts, line from log where line like '%slow venue%' order by seq desc limit 100`,
    );
    if (round < 0) continue;
    page.push(a);
    bySqlite.push(b);
  }
  bench.row({
    row: 'search-page',
    title: 'Search, newest 100 hits of 1 in 1,000 lines, p50',
    unit: 'ms',
    ours: median(page),
    peer: { name: 'sqlite3 LIKE, without HTTP', value: median(bySqlite) },
    bounds: [{ of: 'ratio', most: 1.3 }],
  });
  const whole: number[] = [];
  const rg: number[] = [];
  const grep: number[] = [];
  const like: number[] = [];
  let asked = 0;
  const withRg = isThere('rg');
  bench.mark();
  for (let round = 0; round < slow; round += 1) {
    whole.push(
      await timed(async () => {
        asked = await searchAll(host, bot, RARE);
      }),
    );
    if (withRg) rg.push(await timed(() => tool('rg', '--no-config', '-N', '-i', '-F', RARE, file)));
    grep.push(await timed(() => tool('grep', '-F', RARE, file)));
    like.push(
      sqlite(database, `select seq, ts, line from log where line like '%${RARE}%' order by seq desc limit 100`),
    );
  }
  const title = `Search of all ${lines.toLocaleString('en-US')} lines`;
  const ours = median(whole);
  bench.row({
    row: 'search-whole-sqlite',
    title,
    unit: 'ms',
    ours,
    peer: { name: 'sqlite3 LIKE', value: median(like) },
    bounds: [{ of: 'ratio', most: 0.8 }],
    note: `${asked} requests, each ends after 1.5 s; grep -F (one case only) ${median(grep).toFixed(0)} ms`,
  });
  if (!withRg) return;
  const peer = { name: 'rg -i on the text', value: median(rg) };
  bench.row({ row: 'search-whole-rg', title, unit: 'ms', ours, peer, bounds: [{ of: 'ratio', most: 18 }] });
}

/**
 * A search that finds nothing: how long another read waits beside it, and how long it works on after its caller has
 * gone.
 */
async function measureStop(host: StartedHost, bot: string): Promise<void> {
  const path = `${host.url}/api/v1/bots/${bot}/logs?limit=100&search=${encodeURIComponent('is-not-there')}`;
  const headers = { authorization: `Bearer ${host.token}` };
  const beside: number[] = [];
  const after: number[] = [];
  bench.mark();
  for (let round = 0; round < Math.min(rounds, 10); round += 1) {
    const gone = new AbortController();
    const search = fetch(path, { headers, signal: gone.signal }).then(
      (answer) => answer.text(),
      (error: unknown) => {
        if (!gone.signal.aborted) throw error;
      },
    );
    await wait(30);
    for (let read = 0; read < 5; read += 1) beside.push(await timed(() => logPage(host, bot, 'limit=1')));
    gone.abort();
    const stopped = performance.now();
    await search;
    // It is over when the host takes no more processor time.
    let idleSince = performance.now();
    let seen = cpuSeconds(host.pid);
    while (performance.now() - idleSince < 60) {
      await wait(5);
      const now = cpuSeconds(host.pid);
      if (now > seen + 0.011) idleSince = performance.now();
      if (now > seen) seen = now;
    }
    after.push(idleSince - stopped);
  }
  bench.row({
    row: 'search-beside',
    title: 'Another read while a search goes on, longest',
    unit: 'ms',
    ours: Math.max(...beside),
    bounds: [{ of: 'ours', most: 50 }],
    note: `p50 ${median(beside).toFixed(1)} ms`,
  });
  bench.row({
    row: 'search-stop',
    title: 'A search works on after its reader went away, p50',
    unit: 'ms',
    ours: median(after),
    bounds: [{ of: 'ours', most: 50 }],
    note: `longest ${Math.max(...after).toFixed(0)} ms; by the processor time of the host, which Linux counts in steps of 10 ms`,
  });
}

async function measureChart(host: StartedHost, folder: string): Promise<void> {
  const bot = await deployOneFile(host, { name: 'samples', entry: 'bot.py', source: sampler });
  await printed(host, bot, LAST);
  const database = logDatabase(host, bot, join(folder, 'points.db'));
  const ours: number[] = [];
  bench.mark();
  const path = `/api/v1/bots/${bot}/metrics/series?type=price&field=value&points=2000`;
  for (let round = -3; round < rounds; round += 1) {
    const ms = await timed(() => call(host, 'GET', path));
    if (round >= 0) ours.push(ms);
  }
  const sql =
    'select cast((t - (select min(t) from point)) / 10 as int) as bucket, min(value), max(value) from point group by 1';
  const peer = Array.from({ length: slow }, () => sqlite(database, sql));
  bench.row({
    row: 'chart',
    title: `Chart of ${points.toLocaleString('en-US')} points over HTTP, p50`,
    unit: 'ms',
    ours: median(ours),
    peer: { name: 'sqlite3 group by over the points', value: median(peer) },
    bounds: [{ of: 'ours', most: 20 }],
    note: `p99 ${at(ours, 0.99).toFixed(1)} ms`,
  });
}

async function measure(engine: EngineOfBench | null): Promise<void> {
  const folder = tempFolder('reads');
  const host = await startHost({ flags: ['--retention-mb', '8000'] });
  try {
    const file = join(folder, 'lines');
    await writeAll(file);
    const bot = await deployOneFile(host, { name: 'prints', entry: 'bot.py', source: printer(file) });
    await printed(host, bot, LAST);
    await measureNewest(host, bot, engine, folder);
    const database = logDatabase(host, bot, join(folder, 'lines.db'));
    await measureRange(host, bot, database);
    await measureSearch(host, bot, database, file);
    await measureStop(host, bot);
    await measureChart(host, folder);
  } finally {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await withEngine(measure);
bench.done();
