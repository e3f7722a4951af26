/**
 * Runs all benchmarks one after another and writes docs/performance.md. The rows of each are kept in bench/results.json
 * as soon as it is done, so that a run can be ended and taken up again, and single rows be repeated. With `--quick`
 * both files lie in test-results/: small sizes judge nothing. Linux, on a machine that does nothing else; `npm run
 * bench` builds first. Usage: node bench/report.ts [--quick] [--only NAME]... [--missing] [--write]
 *   --only NAME   a benchmark (`reads`) or the one that makes this row (`newest-1000`)
 *   --missing     leaves out benchmarks whose rows were made from this commit, in full sizes
 *   --write       runs nothing, writes the document from what is kept
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readRows } from './support/bench.ts';
import { document } from './support/document.ts';
import { ROOT } from './support/host.ts';
import { type Load, loadMeter } from './support/processes.ts';
import { type Kept, placeHere, type Results, readResults, writeResults } from './support/results.ts';
import { haveTools } from './support/tools.ts';

/** In the order of the document, with the sizes that make all of them last less than 20 minutes. */
const BENCHES: Readonly<Record<string, readonly string[]>> = {
  ingest: [],
  masking: [],
  reads: [],
  live: [],
  schedule: [],
  state: [],
  ledger: [],
  many: [],
  realtime: [],
  docker: [],
  query: [],
  mcp: [],
  dashboard: ['logs=1000000', 'live=30'],
  editor: [],
  desktop: [],
};
/** Longest that one benchmark may take, ms. */
const LONGEST = 10 * 60_000;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    missing: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const trial = join(ROOT, 'test-results');
const file = values.quick ? join(trial, 'bench.json') : join(ROOT, 'bench/results.json');
const target = values.quick ? join(trial, 'performance.md') : join(ROOT, 'docs/performance.md');
const names = Object.keys(BENCHES).filter((name) => existsSync(join(ROOT, `bench/${name}.ts`)));

function ask(program: string, ...args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '-';
    throw error;
  }
}

function chosen(results: Results): string[] {
  if (values.write) return [];
  const known = { ...readResults(join(ROOT, 'bench/results.json')), ...results };
  const found = values.only.map((wanted) => {
    const name = names.find((each) => each === wanted || known[each]?.rows.some((row) => row.row === wanted));
    if (name === undefined) throw new Error(`${wanted} is no benchmark (${names.join(', ')}) and no row that is kept`);
    return name;
  });
  const { commit } = placeHere(ask);
  const all = found.length > 0 ? names.filter((name) => found.includes(name)) : names;
  const isThere = (kept: Kept | undefined): boolean =>
    kept !== undefined && kept.commit === commit && kept.rows.every((row) => !row.quick);
  return values.missing ? all.filter((name) => !isThere(results[name])) : all;
}

let current: ChildProcess | null = null;
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = true;
    // A benchmark that is told to end cleans up, which this program waits for.
    current?.kill('SIGTERM');
  });
}

/** Runs one benchmark; what it prints goes on. */
async function run(name: string): Promise<Kept> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-report-'));
  try {
    const rows = join(dir, 'rows.json');
    const sizes = values.quick ? ['--quick'] : (BENCHES[name] ?? []);
    const meter = loadMeter();
    const begun = performance.now();
    const child = spawn(process.execPath, [join(ROOT, `bench/${name}.ts`), '--json', rows, ...sizes], {
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: LONGEST,
    });
    current = child;
    const code = await new Promise((done) => child.once('exit', (exit, signal) => done(exit ?? signal)));
    current = null;
    if (code !== 0) throw new Error(`bench/${name}.ts ended with ${code}`);
    const load: Load = meter();
    const made = readRows(rows).map((row) => ({
      ...EMPTY,
      ...row,
      date: row.date ?? new Date().toISOString(),
      load: row.load ?? load,
    }));
    return { ...placeHere(ask), seconds: Math.round((performance.now() - begun) / 1000), rows: made };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Fields that a purely measuring benchmark leaves out. */
const EMPTY = { peerName: null, note: '', quick: values.quick };

if (values.quick) mkdirSync(trial, { recursive: true });
let results = readResults(file);
const failed: string[] = [];
const asked = chosen(results);
haveTools(asked);
for (const name of asked) {
  if (stopped) break;
  console.log(`\n== ${name}`);
  try {
    results = { ...results, [name]: await run(name) };
    writeResults(file, results);
  } catch (error) {
    failed.push(name);
    console.error(error instanceof Error ? error.message : error);
  }
}
writeFileSync(target, document(results, names, failed));
console.log(`\nWritten: ${target}`);
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}. Make them again with --only, or all that is not there with --missing.`);
  process.exitCode = 1;
}
