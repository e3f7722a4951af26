/**
 * What masking costs: processor time of a line of ordinary output, with 20 secret values, and of lines that look like
 * secrets, beside all that ingest takes for the same lines.
 * Usage: node bench/masking.ts [--quick] [--json FILE] [lines=300000]
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BotMasker, createBotMasker } from '../src/main/host/logs/create-bot-masker.ts';
import { createTelemetry } from '../src/main/host/logs/create-telemetry.ts';
import { takeLine } from '../src/main/host/logs/line-intake.ts';
import { hostileLines } from '../test/support/hostile-lines.ts';
import { colouredLines, dailyLines, foreignLines, ordinaryLines } from '../test/support/ordinary-lines.ts';
import { anySecret } from '../test/support/secret-samples.ts';
import { SeededRandom } from '../test/support/seeded-random.ts';
import { Bench } from './support/bench.ts';
import { tempFolder } from './support/temp.ts';

const bench = new Bench({ lines: [300_000, 60_000] });
const { lines: count } = bench.sizes;
const CHUNK = 256 * 1024;
/** Number of lines with a secret in every 1,000. */
const SECRETS = 20;
const ROUNDS = 5;

/** Whole lines in chunks as ingest reads them. */
function chunked(lines: Iterable<string>): Buffer[] {
  const chunks: Buffer[] = [];
  let text = '';
  for (const line of lines) {
    text += `${line.replaceAll('\n', ' ')}\n`;
    if (text.length < CHUNK) continue;
    chunks.push(Buffer.from(text));
    text = '';
  }
  if (text !== '') chunks.push(Buffer.from(text));
  return chunks;
}

/**
 * Metrics in the order of their times, as from a bot: with random times nearly each would be stored under a minute of its own.
 */
function* mixed(count: number, random: SeededRandom): Generator<string> {
  let time = 1_763_640_000_000;
  for (const line of dailyLines(count, random)) {
    time += 10;
    const secret = random.below(1000) < SECRETS;
    yield secret ? anySecret(random).line : line.replace(/"timestamp":\d+/, `"timestamp":${time}`);
  }
}

function secretValues(random: SeededRandom): string[] {
  return Array.from({ length: 20 }, () =>
    random.text('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/', 40),
  );
}

interface Cost {
  readonly lines: number;
  readonly flagged: number;
  /** CPU of this thread: a busy machine changes it less than wall time. */
  readonly ms: number;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The way of ingest from bytes to rows; without a masker lines are only found and classified. */
function run(chunks: readonly Buffer[], masker: BotMasker, masking: boolean): Cost {
  const ends = new Uint32Array(CHUNK * 8);
  const flags = new Uint8Array(CHUNK * 8);
  const stream = masker.newStream();
  let lines = 0;
  let flagged = 0;
  const start = cpuMs();
  for (const chunk of chunks) {
    let count = 0;
    if (masking) count = masker.scan(chunk, 0, chunk.length, ends, flags);
    else for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) ends[count++] = at;
    const text = chunk.toString('latin1');
    let from = 0;
    for (let i = 0; i < count; i++) {
      const hit = masking && flags[i] !== 0;
      if (hit) flagged += 1;
      takeLine(text.slice(from, ends[i]), hit, stream, masker);
      from = (ends[i] ?? 0) + 1;
    }
    lines += count;
  }
  return { lines, flagged, ms: cpuMs() - start };
}

/** The best of some rounds: what disturbs a round only makes it slower. */
function best(chunks: readonly Buffer[], masker: BotMasker, masking = true): Cost {
  const all = Array.from({ length: ROUNDS }, () => run(chunks, masker, masking));
  return all.reduce((least, one) => (one.ms < least.ms ? one : least));
}

const perLine = ({ ms, lines }: Cost): number => (ms / lines) * 1e6;

async function ingestCpu(
  folder: string,
  name: string,
  chunks: readonly Buffer[],
  secrets: readonly string[],
): Promise<number> {
  const file = join(folder, name);
  writeFileSync(file, Buffer.concat(chunks));
  const dataDir = join(folder, `data-${name}`);
  mkdirSync(dataDir);
  const telemetry = await createTelemetry({ dataDir });
  await telemetry.openBot('bot_bench', secrets);
  const ingest = async (runId: string, path: string): Promise<void> => {
    await telemetry.attach({ botId: 'bot_bench', runId, path, source: 'stdout' });
    await telemetry.finish('bot_bench', runId);
  };
  // The start of the workers is not counted.
  const warmUp = join(folder, `warm-${name}`);
  writeFileSync(warmUp, chunks[0] ?? '');
  await ingest('run_0', warmUp);
  const before = process.cpuUsage();
  await ingest('run_1', file);
  const { user, system } = process.cpuUsage(before);
  await telemetry.close();
  return (user + system) / 1000;
}

interface Hostile {
  readonly name: string;
  readonly chars: number;
  /** Nanoseconds. */
  readonly perChar: number;
}

function hostile(name: string, line: string, masker: BotMasker): Hostile {
  const { ms, lines } = best(chunked(Array.from({ length: 200 }, () => line)), masker);
  return { name, chars: line.length, perChar: (ms * 1e6) / lines / line.length };
}

const random = new SeededRandom(42);
const none = createBotMasker([]);
const values = createBotMasker(secretValues(random));
const folder = tempFolder('masking');
try {
  const chunks = chunked(mixed(count, random));
  bench.mark();
  const plain = best(chunks, none, false);
  const masked = best(chunks, none);
  const cost = perLine(masked) - perLine(plain);
  const costValues = perLine(best(chunks, values)) - perLine(plain);
  const all = ((await ingestCpu(folder, 'plain', chunks, [])) / masked.lines) * 1e6;
  const allValues = ((await ingestCpu(folder, 'values', chunks, secretValues(random))) / masked.lines) * 1e6;
  const looked = (100 * masked.flagged) / masked.lines;
  bench.row({
    row: 'mask-line',
    title: 'Masking of a line, processor time',
    unit: 'ns',
    ours: cost,
    peer: { name: 'all of its ingest', value: all },
    bounds: [{ of: 'ratio', most: 0.25 }],
    note: `${SECRETS} of 1,000 lines hold a secret; ${looked.toFixed(1)} % are looked at closely`,
  });
  bench.row({
    row: 'mask-values',
    title: 'The same, what 20 secret values add',
    unit: 'ns',
    ours: costValues - cost,
    peer: { name: 'all of its ingest', value: allValues },
    bounds: [{ of: 'ratio', most: 0.05 }],
  });
  const near = chunked(ordinaryLines(count / 4, random));
  const taken = best(near, none);
  bench.row({
    row: 'mask-near',
    title: 'Masking of a line that comes near to secrets, processor time',
    unit: 'ns',
    ours: perLine(taken) - perLine(best(near, none, false)),
    note: `${((100 * taken.flagged) / taken.lines).toFixed(0)} % are looked at closely`,
  });
  for (const [row, title, lines] of [
    ['mask-coloured', 'a line in colours', colouredLines(count / 4, random)],
    ['mask-foreign', 'a line in another language', foreignLines(count / 4, random)],
  ] as const) {
    const shown = chunked(lines);
    const bare = perLine(best(shown, none, false));
    const without = perLine(best(shown, none)) - bare;
    bench.row({
      row,
      title: `Masking of ${title}, with 20 secret values`,
      unit: 'ns',
      ours: perLine(best(shown, values)) - bare,
      note: `${without.toFixed(0)} ns without values`,
    });
  }
  const attacks = [...hostileLines(2000)].map(([name, line]) => hostile(name, line, none));
  const [worst, ...others] = attacks.toSorted((a, b) => b.perChar - a.perChar);
  if (worst === undefined) throw new Error('there are no hostile lines');
  bench.row({
    row: 'mask-hostile',
    title: 'Masking of a character of the worst hostile line, processor time',
    unit: 'ns',
    ours: worst.perChar,
    note: `${worst.name}, ${worst.chars} characters; of the ${others.length} others ${others
      .map((one) => `${one.name} ${one.perChar.toFixed(0)} ns`)
      .join(', ')}`,
  });
  bench.done();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
