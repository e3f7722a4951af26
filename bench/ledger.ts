/**
 * What the ledger costs: a fill, output without rows for it, prices of many bots, and a look at the books of many bots. Times are
 * of the processor, because other work on the machine makes clocks say more.
 * Usage: node bench/ledger.ts [--quick] [--json FILE] [fills=50000] [lines=200000] [bots=1000]
 */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger, openLedgerForReading } from '../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../src/main/host/ledger/ledger-writer.ts';
import { BotFeed } from '../src/main/host/logs/bot-feed.ts';
import { BotIngest } from '../src/main/host/logs/bot-ingest.ts';
import { createBotMasker } from '../src/main/host/logs/create-bot-masker.ts';
import { LedgerFeed } from '../src/main/host/logs/ledger-feed.ts';
import { readLedgerSummary } from '../src/main/host/logs/read-ledger-summary.ts';
import { openLogs } from '../src/main/host/logs/segment-set.ts';
import { ReadBuffers } from '../src/main/host/logs/spool-tail.ts';
import { Bench } from './support/bench.ts';
import { median } from './support/figures.ts';
import { tempFolder } from './support/temp.ts';

const bench = new Bench({ fills: [50_000, 5000], lines: [200_000, 20_000], bots: [1000, 100] });
const { fills, lines, bots } = bench.sizes;
const folder = tempFolder('ledger');
const START = Date.UTC(2026, 0, 1);
/** Fills of a commit: of a bot that writes a thousand a second. */
const COMMIT = 50;

/** Microseconds of the processor. */
function spent(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const fill = (seq: number) => ({
  ...{ seq, at: START + seq * 1000, type: 'fill' as const, mode: 'paper' as const },
  text: JSON.stringify({
    ...{ _metric: 'fill', fill_id: `f${seq}`, symbol: `S${seq % 20}`, side: seq % 3 === 0 ? 'SELL' : 'BUY' },
    ...{ quantity: seq % 3 === 0 ? '2' : '1', price: `${100 + (seq % 7)}.25`, currency: 'USD', fee: '0.35' },
  }),
});
const price = (seq: number) => ({
  ...{ seq, at: START + seq * 1000, type: 'price' as const, mode: 'paper' as const },
  text: JSON.stringify({ _metric: 'price', symbol: 'S1', value: `${100 + (seq % 7)}.25` }),
});
const names = Array.from({ length: bots }, (_, i) => `bot_${i}`);

function fillCost(): void {
  const db = openLedger(join(folder, 'fills.db'));
  const writer = new LedgerWriter(db, 'fifo');
  bench.mark();
  const all = spent(() => {
    for (let from = 0; from < fills; from += COMMIT)
      writer.apply(
        'bot',
        Array.from({ length: COMMIT }, (_, i) => fill(from + i + 1)),
        from + COMMIT,
      );
  });
  const rebuilt = spent(() => writer.rebuild('bot'));
  db.close();
  bench.row({
    ...{ row: 'ledger-fill', title: `Fill booked, ${COMMIT} a commit`, unit: 'µs of a core', ours: all / fills },
    bounds: [{ of: 'ours', most: 30 }],
    note: `rebuilt: ${(rebuilt / fills).toFixed(0)} µs each`,
  });
}

/** Part of ingest that the ledger takes of output without rows for it. */
function idleCost(): void {
  const botDir = join(folder, 'bots', 'idle');
  const path = join(botDir, 'runs', 'run_1', 'bot.out');
  mkdirSync(join(path, '..'), { recursive: true });
  const line = (i: number): string => `looked at candle ${i}, nothing to do\n{"_metric":"mood","value":${i}}\n`;
  for (let i = 0; i < lines / 2; i += 1000)
    appendFileSync(path, Array.from({ length: 1000 }, (_, at) => line(i + at)).join(''));
  const ingest = new BotIngest('idle', {
    ...{ dataDir: folder, rowKey: 'key', buffers: new ReadBuffers(), logs: openLogs(() => undefined) },
    ...{ retention: () => ({ days: 30, bytes: 1e12 }), shortage: () => null, now: () => Date.now() },
    ledger: new LedgerFeed(folder, (message) => console.error(message)),
    emit: () => undefined,
  });
  const { committed } = BotFeed.prototype;
  let feeding = 0;
  BotFeed.prototype.committed = function (...args) {
    const begun = performance.now();
    committed.apply(this, args);
    feeding += performance.now() - begun;
  };
  bench.mark();
  const begun = performance.now();
  const tail = ingest.attach({ botId: 'idle', runId: 'run_1', path, source: 'stdout' });
  while (ingest.turn(tail) === 'more');
  ingest.commit();
  const all = performance.now() - begun;
  BotFeed.prototype.committed = committed;
  ingest.close();
  bench.row({
    ...{ row: 'ledger-idle', title: 'Ingest of output without rows for the ledger: its part', unit: '%' },
    ours: (100 * feeding) / all,
    bounds: [{ of: 'ours', most: 2 }],
    note: `${lines} lines, half of them metrics`,
  });
}

/** A price of each bot, stored together or each by itself. */
function priceCost(): void {
  const db = openLedger(join(folder, 'prices.db'));
  const writer = new LedgerWriter(db, 'fifo');
  const seconds = 5;
  let seq = 0;
  const parts = () => names.map((botId) => ({ botId, rows: [price(seq)], upTo: seq }));
  const together = (): void => {
    for (let i = 0; i < seconds; i++, seq++) writer.applyAll(parts());
  };
  seq = 1;
  together();
  bench.mark();
  const ours = spent(together) / seconds / 1000;
  const each =
    spent(() => {
      for (let i = 0; i < seconds; i++, seq++)
        for (const { botId, rows, upTo } of parts()) writer.apply(botId, rows, upTo);
    }) /
    seconds /
    1000;
  db.close();
  bench.row({
    ...{ row: 'ledger-prices', title: `A price of each of ${bots} bots`, unit: 'ms of a core', ours },
    peer: { name: 'a transaction each', value: each },
  });
}

/** What `bots.get` and the fleet ask of the books. */
function summaryCost(): void {
  const file = join(folder, 'summaries.db');
  const db = openLedger(file);
  const writer = new LedgerWriter(db, 'fifo');
  writer.applyAll(names.map((botId) => ({ botId, rows: Array.from({ length: 20 }, (_, i) => fill(i + 1)), upTo: 20 })));
  db.close();
  const opened = openLedgerForReading(file);
  if (opened === null) throw new Error('the ledger is not there');
  const reader = new LedgerReader(opened);
  const masker = createBotMasker([]);
  bench.mark();
  const look = (): number[] =>
    names.map((botId) => {
      const begun = performance.now();
      readLedgerSummary(reader, masker, botId, { now: START, zone: 'UTC' });
      return performance.now() - begun;
    });
  const first = look();
  const again = look();
  reader.close();
  const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
  bench.row({
    ...{ row: 'ledger-summary', title: `Books of one of ${bots} bots in short`, unit: 'ms', ours: median(again) },
    note: `all of them ${sum(again).toFixed(0)} ms, for the first time ${sum(first).toFixed(0)} ms`,
  });
}

try {
  fillCost();
  idleCost();
  priceCost();
  summaryCost();
  bench.done();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
