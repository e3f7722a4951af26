/**
 * A durable put of 10 kB of a bot's state by each kit beside a commit of SQLite with `synchronous=FULL` in the same
 * program, in turn. Python and C++ where they are there.
 * Usage: node bench/state.ts [--quick] [--json FILE] [puts=1000]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './support/bench.ts';
import { at, median } from './support/figures.ts';
import { ROOT } from './support/host.ts';
import { tempFolder } from './support/temp.ts';

const bench = new Bench({ puts: [1000, 100] });
const PROGRAMS = join(import.meta.dirname, 'support/programs');
const SDK = join(ROOT, 'resources/sdk');
const root = tempFolder('state');

function measure(kit: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const folder = join(root, kit);
  mkdirSync(join(folder, 'state'), { recursive: true });
  bench.mark();
  const { status, stdout, stderr } = spawnSync(program, [...args, folder, String(bench.sizes.puts)], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  const { ours, peer }: { ours: number[]; peer: number[] } = JSON.parse(stdout);
  bench.row({
    row: `state-put-${kit}`,
    title: `State put, durable, 10 kB, ${kit} kit, p50`,
    unit: 'µs',
    ours: median(ours),
    peer: { name: 'SQLite FULL', value: median(peer) },
    bounds: [{ of: 'ratio', most: 1.5 }],
    note: `p99 ${at(ours, 0.99).toFixed(0)} and ${at(peer, 0.99).toFixed(0)} µs`,
  });
}

try {
  measure('node', process.execPath, [join(PROGRAMS, 'state.mjs')]);
  if (spawnSync('python3', ['--version']).status === 0) {
    measure('python', 'python3', [join(PROGRAMS, 'state.py')], { PYTHONPATH: join(SDK, 'python') });
  }
  const program = join(root, 'state-cpp');
  const source = join(PROGRAMS, 'state.cpp');
  const built = spawnSync('g++', [
    '-std=c++17',
    '-O2',
    '-I',
    join(SDK, 'cpp/include'),
    source,
    '-o',
    program,
    '-lsqlite3',
  ]);
  if (built.status === 0) measure('cpp', program, []);
  else console.log(`Without the C++ kit: ${String(built.stderr).split('\n')[0]}`);
  bench.done();
} finally {
  rmSync(root, { recursive: true, force: true });
}
