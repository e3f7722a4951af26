/**
 * Ingest of bot output, side by side with `cat file > file` on the same bytes in the same run: rates on shared machines
 * swing, the ratio does not. Usage: node bench/ingest.ts [lines, default 1000000]
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { createTelemetry } from '../src/main/telemetry/create-telemetry.ts';

const SYMBOLS = ['AAPL', 'MSFT', 'NVDA', 'BTC-USD', 'ETH-USD', 'TSLA'];
const MESSAGES = [
  'fetched prices',
  'order book snapshot',
  'iteration complete',
  'cache hit for daily bars',
  'heartbeat',
];

/** The same lines in every run: 78 % text, 19 % metrics, 2 % with a secret, 1 % long or not ASCII. */
function lineAt(i: number, random: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const kind = random();
  const symbol = pick(SYMBOLS);
  if (kind < 0.19) {
    const value = (random() * 500).toFixed(2);
    return `{"_metric":"price","symbol":"${symbol}","value":${value},"change_pct":${(random() * 4 - 2).toFixed(3)}}`;
  }
  if (kind < 0.21) return `DEBUG config password=${Math.floor(random() * 2 ** 40).toString(36)}x region=us n=${i}`;
  if (kind < 0.215) return `INFO ${'x'.repeat(900)} n=${i}`;
  if (kind < 0.22) return `INFO Kurs für ${symbol} gestiegen → ${(random() * 100).toFixed(2)} € 📈 n=${i}`;
  const id = Math.floor(random() * 2 ** 32).toString(16);
  return `2026-11-20T14:00:00.000Z INFO [${symbol}] ${pick(MESSAGES)} n=${i} latency_ms=${(random() * 200).toFixed(1)} id=${id}`;
}

function generate(file: string, lines: number): void {
  let seed = 12_345;
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  const fd = openSync(file, 'w');
  let text = '';
  for (let i = 0; i < lines; i++) {
    text += `${lineAt(i, random)}\n`;
    if (text.length < 1 << 20 && i < lines - 1) continue;
    writeSync(fd, text);
    text = '';
  }
  closeSync(fd);
}

function catMs(file: string, copy: string): number {
  const start = performance.now();
  const { status } = spawnSync('sh', ['-c', 'cat "$1" > "$2"', 'sh', file, copy]);
  if (status !== 0) throw new Error('cat failed');
  const ms = performance.now() - start;
  rmSync(copy);
  return ms;
}

async function ingestMs(folder: string, file: string, lines: number, live: boolean): Promise<number> {
  const telemetry = await createTelemetry({ dataDir: join(folder, live ? 'live' : 'quiet') });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  let seen = 0;
  await telemetry.openBot('bot_bench', ['hunter2-very-secret']);
  if (live) {
    await telemetry.subscribe('bot_bench', null, {
      push(batch) {
        if ('seq' in batch) seen = batch.seq;
        return true;
      },
    });
  }
  loop.enable();
  const cpu = process.cpuUsage();
  const start = performance.now();
  await telemetry.attach({ botId: 'bot_bench', runId: 'run_1', path: file, source: 'stdout' });
  await telemetry.finish('bot_bench', 'run_1');
  const ms = performance.now() - start;
  const used = process.cpuUsage(cpu);
  loop.disable();
  const { total, metrics } = await telemetry.summary('bot_bench');
  if (total + metrics !== lines) throw new Error(`${total + metrics} of ${lines} lines stored`);
  await telemetry.close();
  const disk = statSync(join(folder, live ? 'live' : 'quiet', 'bots', 'bot_bench', 'log.db')).size;
  console.log(
    `${live ? 'ingest, one live reader' : 'ingest, nobody watching'}: ${(lines / ms).toFixed(0)} k lines/s, ` +
      `CPU ${((used.user + used.system) / 1e6 / (lines / 1e6)).toFixed(2)} s per 1M lines, ` +
      `main loop p99 ${(loop.percentile(99) / 1e6).toFixed(1)} ms, ${(disk / lines).toFixed(0)} bytes a line on disk` +
      `${live ? `, live up to ${seen}` : ''}`,
  );
  return ms;
}

const lines = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'bench-ingest-'));
try {
  const file = join(folder, 'output');
  generate(file, lines);
  const cat = Math.min(catMs(file, join(folder, 'copy')), catMs(file, join(folder, 'copy')));
  console.log(`cat file > file: ${(lines / cat).toFixed(0)} k lines/s, ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  const quiet = await ingestMs(folder, file, lines, false);
  const live = await ingestMs(folder, file, lines, true);
  console.log(`time against cat: ${(quiet / cat).toFixed(1)}x, with a live reader ${(live / cat).toFixed(1)}x`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
