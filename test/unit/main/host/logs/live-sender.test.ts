import { expect, it } from 'vitest';
import type { LiveBatch } from '../../../../../src/contract/telemetry.ts';
import type { BotLog } from '../../../../../src/main/host/logs/bot-log.ts';
import { createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import { LiveSender } from '../../../../../src/main/host/logs/live-sender.ts';
import { readCatchUp } from '../../../../../src/main/host/logs/read-catch-up.ts';
import type { StoredLog, StoredMetric } from '../../../../../src/main/host/logs/stored-row-types.ts';
import { newLines } from '../../../../support/block-rows.ts';

/** Most characters of one event for readers of a stream (shared/sse.ts). */
const MOST_CHARS = 16 * 1024 * 1024;
const ROWS = 300;
const SIZE = 64 * 1024 - 30;

const common = (seq: number) => ({ seq, ts: 0, run: null, time: null });
/** Each character takes six in JSON. */
const lineOf = (seq: number): StoredLog => ({ ...common(seq), meta: 1, line: '\u0001'.repeat(SIZE), fields: null });
const metricOf = (seq: number): StoredMetric => ({
  ...common(seq),
  type: 'large',
  mode: null,
  data: JSON.stringify({ _metric: 'large', text: 'x'.repeat(SIZE) }),
});
const all = Array.from({ length: ROWS }, (_, at) => at + 1);
const KINDS: Readonly<Record<string, (seq: number) => boolean>> = {
  'large lines': () => true,
  'large metrics': () => false,
  'both in turns': (seq) => seq % 2 === 0,
};

/** That the events hold all rows once, in order, and each may be sent. */
function judge(batches: Iterable<Extract<LiveBatch, { seq: number }>>): void {
  let next = 1;
  for (const batch of batches) {
    expect(JSON.stringify(batch).length).toBeLessThan(MOST_CHARS);
    const seqs = [...batch.logs, ...batch.metrics].map(({ seq }) => seq).sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: batch.seq - next + 1 }, (_, at) => next + at));
    next = batch.seq + 1;
  }
  expect(next).toBe(ROWS + 1);
}

it.each(Object.entries(KINDS))('%s that were stored come in events that readers take', (_, isLine) => {
  const within = (lo: number, hi: number): number[] => all.filter((seq) => seq >= lo && seq < hi);
  const log: Pick<BotLog, 'lastSeq' | 'logs' | 'metrics'> = {
    lastSeq: () => ROWS,
    logs: ({ lo, hi }, _filter, _order, limit) => within(lo, hi).filter(isLine).slice(0, limit).map(lineOf),
    metrics: (_type, after, before, _order, limit) =>
      within(after + 1, before)
        .filter((seq) => !isLine(seq))
        .slice(0, limit)
        .map(metricOf),
  };
  const masker = createBotMasker([]);
  function* batches() {
    for (let after = 0; after < ROWS; ) {
      const batch = readCatchUp(log as BotLog, masker, after);
      expect(batch.seq).toBeGreaterThan(after);
      yield batch;
      after = batch.seq;
    }
  }
  judge(batches());
});

it.each(Object.entries(KINDS))('%s that come in one commit come in events that readers take', (_, isLine) => {
  const sent: Extract<LiveBatch, { seq: number }>[] = [];
  const sender = new LiveSender('bot_1', (event) => {
    if (event.event !== 'batch') throw new Error(`${event.event} instead of a batch`);
    sent.push(event);
    sender.acknowledge();
  });
  const metrics = all
    .filter((seq) => !isLine(seq))
    .map((seq) => ({ ...metricOf(seq), symbol: null, symbols: [], values: [] }));
  sender.send(1, ROWS, newLines(all.filter(isLine).map(lineOf)), metrics);
  judge(sent);
});
