/**
 * Ingest of bot output beside what copies or stores the same bytes, in the same run and in turn: rates on shared machines
 * swing, the ratios do not. Docker's log driver needs Docker, the C program a compiler and SQLite's headers; journald is
 * asked where it runs. Usage: node bench/ingest.ts [--quick] [--json FILE] [lines=1000000] [rounds=3] [bots=20]
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import Database from 'better-sqlite3';
import { createTelemetry } from '../src/main/host/logs/create-telemetry.ts';
import { Bench } from './support/bench.ts';
import { type EngineOfBench, withEngine } from './support/engine.ts';
import { median } from './support/figures.ts';
import { logByJsonFile } from './support/json-file.ts';
import { writeLines } from './support/lines.ts';
import { tempFolder } from './support/temp.ts';

const bench = new Bench({ lines: [1_000_000, 100_000], rounds: [3, 1], bots: [20, 20] });
const { lines, rounds, bots } = bench.sizes;
const folder = tempFolder('ingest');
const file = join(folder, 'output');

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return stdout;
}

function cat(): number {
  const copy = join(folder, 'copy');
  const begun = performance.now();
  run('sh', '-c', 'cat "$1" > "$2"', 'sh', file, copy);
  const ms = performance.now() - begun;
  rmSync(copy);
  return ms;
}

const removeDatabase = (path: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
};

/** Inserts one row a line: by C, or where that cannot be built by better-sqlite3, row by row too. Milliseconds. */
function rowInsert(): { readonly name: string; ms(): number } {
  const program = join(folder, 'rows');
  const source = join(import.meta.dirname, 'support/programs/rows.c');
  const database = join(folder, 'rows.db');
  const built = spawnSync('cc', ['-O2', '-o', program, source, '-lsqlite3']);
  if (built.status === 0) {
    const ms = (): number => {
      const seconds = Number(run(program, file, database, String(bots)));
      removeDatabase(database);
      return seconds * 1000;
    };
    return { name: 'C row insert', ms };
  }
  const text = spawnSync('cat', [file], { encoding: 'utf8', maxBuffer: 1 << 30 })
    .stdout.trimEnd()
    .split('\n');
  const ms = (): number => {
    const db = new Database(database);
    db.exec('pragma journal_mode=wal; pragma synchronous=normal; pragma cache_size=-16000');
    db.exec('create table log(bot int, seq int, ts int, level int, line text, primary key(bot, seq)) without rowid');
    const insert = db.prepare('insert into log values(?, ?, ?, ?, ?)');
    const begun = performance.now();
    db.exec('begin');
    for (const [row, line] of text.entries()) {
      insert.run(row % bots, Math.floor(row / bots), 1_763_640_000_000 + row, 0, line);
      if (row % 2000 === 1999) db.exec('commit; begin');
    }
    db.exec('commit; pragma wal_checkpoint(truncate)');
    const spent = performance.now() - begun;
    db.close();
    removeDatabase(database);
    return spent;
  };
  return { name: 'better-sqlite3 row insert', ms };
}

interface Ingested {
  readonly ms: number;
  readonly cpuSeconds: number;
  readonly loopP99: number;
  readonly loopMost: number;
  readonly bytes: number;
}

const bytesBelow = (dir: string): number =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

/** Ingests copies of files, each as the output of its own bot; ingest frees the space of what it has stored. */
async function ingest(originals: readonly string[], live: boolean): Promise<Ingested> {
  const dataDir = join(folder, 'data');
  const spools = join(folder, 'spools');
  for (const dir of [dataDir, spools]) mkdirSync(dir);
  const files = originals.map((original) => join(spools, basename(original)));
  for (const [index, original] of originals.entries()) copyFileSync(original, files[index] ?? '');
  const telemetry = await createTelemetry({ dataDir });
  const all = files.map((path, index) => ({ botId: `bot_${index}`, runId: 'run_1', path, source: 'stdout' as const }));
  for (const { botId } of all) await telemetry.openBot(botId, ['hunter2-very-secret']);
  if (live) for (const { botId } of all) await telemetry.subscribe(botId, null, { push: () => true });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const cpu = process.cpuUsage();
  const begun = performance.now();
  for (const one of all) await telemetry.attach(one);
  await Promise.all(all.map(({ botId }) => telemetry.finish(botId, 'run_1')));
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  loop.disable();
  let stored = 0;
  for (const { botId } of all) {
    const { total, metrics } = await telemetry.summary(botId);
    stored += total + metrics;
  }
  await telemetry.close();
  if (stored !== lines) throw new Error(`${stored} of ${lines} lines stored`);
  const bytes = bytesBelow(dataDir);
  for (const dir of [dataDir, spools]) rmSync(dir, { recursive: true });
  return { ms, cpuSeconds: (user + system) / 1e6, loopP99: loop.percentile(99) / 1e6, loopMost: loop.max / 1e6, bytes };
}

/** Milliseconds until journald has taken the lines; null where it does not run. */
function journald(): number | null {
  if (!existsSync('/run/systemd/journal/stdout')) return null;
  const begun = performance.now();
  run('sh', '-c', 'systemd-cat -t bench-ingest cat "$1" && journalctl --sync', 'sh', file);
  return performance.now() - begun;
}

async function measure(engine: EngineOfBench | null): Promise<void> {
  const split = Array.from({ length: bots }, (_, index) => join(folder, `output-${index}`));
  writeLines(split, lines);
  writeLines([file], lines);
  const insert = rowInsert();
  const seen = { cat: [cat()], insert: [] as number[], journald: [] as number[] };
  const quiet: Ingested[] = [];
  const many: Ingested[] = [];
  const live: Ingested[] = [];
  const docker: { ms: number; cpuSeconds: number; bytes: number }[] = [];
  bench.mark();
  for (let round = 0; round < rounds; round += 1) {
    seen.cat.push(cat());
    quiet.push(await ingest([file], false));
    if (engine !== null) {
      const taken = await logByJsonFile(engine, folder, 'output');
      docker.push(taken);
      await engine.docker('rm', '-f', taken.container);
    }
    many.push(await ingest(split, false));
    seen.insert.push(insert.ms());
    live.push(await ingest([file], true));
    const journal = journald();
    if (journal !== null) seen.journald.push(journal);
  }
  const middle = (all: readonly Ingested[], what: keyof Ingested): number => median(all.map((one) => one[what]));
  const million = 1e6 / lines;
  const rate = (ms: number): number => lines / ms;
  const jsonFile = (value: (one: (typeof docker)[number]) => number) =>
    docker.length === 0 ? {} : { peer: { name: 'docker json-file', value: median(docker.map(value)) } };
  const size = `${lines.toLocaleString('en-US')} lines, ${(statSync(file).size / 1e6).toFixed(0)} MB, ${rounds} rounds`;
  bench.row({
    row: 'ingest-cpu',
    title: 'Ingest, processor time of 1M lines, nobody watching',
    unit: 's',
    ours: middle(quiet, 'cpuSeconds') * million,
    ...jsonFile((one) => one.cpuSeconds * million),
    bounds: [{ of: 'ratio', most: 0.8 }],
    note: `with a live reader ${(middle(live, 'cpuSeconds') * million).toFixed(2)} s; ${size}`,
  });
  bench.row({
    row: 'ingest-rate-rows',
    title: `Ingest rate, ${bots} bots at once`,
    unit: 'k lines/s',
    ours: rate(middle(many, 'ms')),
    peer: { name: insert.name, value: rate(median(seen.insert)) },
    bounds: [{ of: 'ratio', least: 1.1 }],
  });
  bench.row({
    row: 'ingest-rate-json-file',
    title: 'Ingest rate, one bot',
    unit: 'k lines/s',
    ours: rate(middle(quiet, 'ms')),
    ...jsonFile((one) => rate(one.ms)),
    bounds: [{ of: 'ratio', least: 1.2 }],
    note: `with a live reader ${rate(middle(live, 'ms')).toFixed(0)} k lines/s`,
  });
  bench.row({
    row: 'ingest-rate-cat',
    title: 'Ingest rate, one bot',
    unit: 'k lines/s',
    ours: rate(middle(quiet, 'ms')),
    peer: { name: 'cat file > file', value: rate(median(seen.cat)) },
  });
  if (seen.journald.length > 0) {
    bench.row({
      row: 'ingest-rate-journald',
      title: 'Ingest rate, one bot',
      unit: 'k lines/s',
      ours: rate(middle(quiet, 'ms')),
      peer: { name: 'journald', value: rate(median(seen.journald)) },
      bounds: [{ of: 'ratio', least: 2 }],
    });
  }
  bench.row({
    row: 'disk',
    title: 'Disk for 1M lines',
    unit: 'MB',
    ours: (middle(quiet, 'bytes') / 1e6) * million,
    ...jsonFile((one) => (one.bytes / 1e6) * million),
    bounds: [{ of: 'ratio', most: 0.12 }],
  });
  bench.row({
    row: 'loop-p99',
    title: 'Main loop in a flood, p99',
    unit: 'ms',
    ours: middle(quiet, 'loopP99'),
    bounds: [{ of: 'ours', most: 10 }],
  });
  bench.row({
    row: 'loop-longest',
    title: 'Main loop in a flood, longest',
    unit: 'ms',
    ours: middle(quiet, 'loopMost'),
    bounds: [{ of: 'ours', most: 50 }],
    note: `with a live reader ${middle(live, 'loopMost').toFixed(1)} ms`,
  });
}

try {
  await withEngine(measure);
  bench.done();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
