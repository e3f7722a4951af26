/**
 * Reads made-up inputs with every reader of untrusted input, for as long as you like.
 *
 *   npm run fuzz -- [--minutes 10] [--seed N] [--count N] [target …]
 *
 * Each target runs in a thread of its own, one after the other, and is ended when it hangs or takes too much memory. A
 * fault is reported with the seed that recreates its input (`--seed N --count 1`); keep the input in test/fuzz/kept.ts.
 * Exit code 1 when there was one. The targets `http` and `mcp` need a build.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { errorText } from '../src/node/system-error.ts';
import { type FoundFault, fuzz, seedOf, withTarget } from '../test/fuzz/fuzz.ts';
import { HOST_TARGETS } from '../test/fuzz/host-targets.ts';
import { PLAIN_TARGETS } from '../test/fuzz/plain-targets.ts';

const TARGETS = [...PLAIN_TARGETS, ...HOST_TARGETS];
/** One input that takes this long hangs: milliseconds. */
const HANG_MS = 60_000;
const MEMORY_MB = 1500;
const SHOWN_CHARS = 2000;
const MOST_FAULTS = 20;

interface Task {
  readonly target: string;
  readonly first: number;
  readonly ms: number;
  readonly count: number;
  /** Seed and number of the input at hand. */
  readonly now: Int32Array;
}

interface Ended {
  readonly inputs: number;
  readonly faults: readonly FoundFault[];
}

async function work(task: Task): Promise<Ended> {
  const target = TARGETS.find((one) => one.name === task.target);
  if (target === undefined) throw new Error(`no target ${task.target}`);
  const faults: FoundFault[] = [];
  const inputs = await withTarget(target, (session) => {
    const end = performance.now() + task.ms;
    return fuzz(target, session, {
      first: task.first,
      more: (number) => number < task.count && performance.now() < end && faults.length < MOST_FAULTS,
      begin: (seed) => {
        task.now[0] = seed;
        task.now[1] = (task.now[1] ?? 0) + 1;
      },
      fault: (found) => {
        faults.push(found);
        show(found);
      },
    });
  });
  return { inputs, faults };
}

function show({ target, seed, input, what }: FoundFault): void {
  const text = JSON.stringify(input);
  const shown = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}… (${input.length} characters)` : text;
  process.stdout.write(`FAULT ${target} --seed ${seed} --count 1\n  ${what}\n  input ${shown}\n`);
}

/** Runs a target in a thread; a hang or too much memory is a fault of the input at hand. */
function inThread(task: Omit<Task, 'now'>): Promise<Ended> {
  const now = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { ...task, now },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  return new Promise((resolve) => {
    let last = -1;
    const broken = (what: string): void => {
      clearInterval(watch);
      worker.removeAllListeners();
      const found = { target: task.target, seed: (now[0] ?? 0) >>> 0, input: '', what };
      show(found);
      void worker.terminate();
      resolve({ inputs: now[1] ?? 0, faults: [found] });
    };
    const watch = setInterval(() => {
      const number = now[1] ?? 0;
      if (number > 0 && number === last) broken(`hangs: no end after ${HANG_MS / 1000} s`);
      last = number;
    }, HANG_MS);
    worker.once('error', (error) => broken(errorText(error)));
    // A thread ends by itself when it waits for something impossible.
    worker.once('exit', () => broken('it waits for something that never comes'));
    worker.once('message', (ended: Ended) => {
      clearInterval(watch);
      worker.removeAllListeners('exit');
      resolve(ended);
    });
  });
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { minutes: { type: 'string' }, seed: { type: 'string' }, count: { type: 'string' } },
    allowPositionals: true,
  });
  const first = values.seed === undefined ? seedOf(Date.now(), process.pid) : Number(values.seed);
  const ms = Number(values.minutes ?? '1') * 60_000;
  const count = Number(values.count ?? Number.POSITIVE_INFINITY);
  const names = TARGETS.map((one) => one.name);
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`There is no target ${unknown.join(', ')}; there are ${names.join(', ')}.`);
  for (const target of positionals.length > 0 ? positionals : names) {
    const begun = performance.now();
    const { inputs, faults } = await inThread({ target, first, ms, count });
    const seconds = Math.round((performance.now() - begun) / 1000);
    const memory = Math.round(process.memoryUsage.rss() / 1024 / 1024);
    process.stdout.write(
      `${new Date().toISOString()} ${target}: ${inputs} inputs in ${seconds} s from seed ${first}, ${faults.length} faults, ${memory} MB\n`,
    );
    if (faults.length > 0) process.exitCode = 1;
  }
}

if (isMainThread) await main();
else parentPort?.postMessage(await work(workerData));
