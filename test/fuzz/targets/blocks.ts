import { crc32, zstdCompressSync } from 'node:zlib';
import { unpacked } from '../../../src/main/host/logs/blocks/block-compression.ts';
import { type BlockHead, ZSTD } from '../../../src/main/host/logs/blocks/block-head.ts';
import { LineBlock, LineBlockBuilder } from '../../../src/main/host/logs/blocks/line-block.ts';
import { MetricBlock, MetricBlockBuilder } from '../../../src/main/host/logs/blocks/metric-block.ts';
import type { StoredLog } from '../../../src/main/host/logs/stored-row-types.ts';
import { isDamaged } from '../../../src/node/storage-error.ts';
import { addLines, addMetrics, type BlockMetric, idOfRun } from '../../support/block-rows.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { mutateBytes } from '../mutate.ts';
import { expectThat, type FuzzTarget, plainSession } from '../target.ts';

/** More text than this cannot come out of bytes as short as the inputs, unless rows share it. */
const MOST_CHARS = 16 * 1024 * 1024;

function lineBlock(random: SeededRandom): Buffer {
  const builder = new LineBlockBuilder();
  const lines: StoredLog[] = [];
  for (let seq = 1 + random.below(300); seq < 400; seq += 1 + random.below(3)) {
    const line = `line ${seq} ${random.pick(['', 'é', '\n', '\0', 'x'.repeat(200)])}`;
    const time = random.below(3) === 0 ? seq * (random.below(2) === 0 ? 1000 : -1000) : null;
    const fields = random.below(4) === 0 ? `{"n":${seq}}` : null;
    lines.push({
      seq,
      ts: 1e12 + seq,
      meta: random.below(200),
      run: random.pick([null, '1', '2']),
      line,
      time,
      fields,
    });
  }
  addLines(builder, lines);
  return Buffer.from(builder.build(idOfRun).plain);
}

function metricBlock(random: SeededRandom): Buffer {
  const builder = new MetricBlockBuilder();
  const metrics: BlockMetric[] = [];
  for (let seq = 1 + random.below(300); seq < 400; seq += 1 + random.below(3)) {
    const points = Array.from({ length: random.below(4) }, (_, series) => ({ series, value: seq / 8 }));
    metrics.push({ seq, ts: 1e12 + seq, time: null, type: 1, run: '1', data: `{"_metric":"a","n":${seq}}`, points });
  }
  addMetrics(builder, metrics);
  return Buffer.from(builder.build(idOfRun).plain);
}

function readLines(plain: Buffer): number {
  const block = new LineBlock(plain);
  let chars = 0;
  for (let at = 0; at < block.count; at++) chars += block.line(at).line.length;
  return chars;
}

function readMetrics(plain: Buffer): number {
  const block = new MetricBlock(plain);
  let chars = 0;
  for (let at = 0; at < block.count; at++) chars += block.data(at).length;
  for (const series of new Set(block.series)) block.eachPoint(series, () => undefined);
  return chars;
}

/** A block of a log, with changed bytes: as it was built, compressed, or as the compressed bytes themselves. */
export const blocks: FuzzTarget = {
  name: 'blocks',
  limitMs: 2000,
  make(random) {
    const plain = random.below(2) === 0 ? lineBlock(random) : metricBlock(random);
    const isPacked = random.below(3) === 0;
    const bytes = mutateBytes(random, (isPacked ? zstdCompressSync(plain) : plain).toString('latin1'));
    return JSON.stringify([isPacked, plain.length, bytes]);
  },
  open: () =>
    plainSession((input) => {
      const [isPacked, size, text]: [boolean, number, string] = JSON.parse(input);
      const bytes = Buffer.from(text, 'latin1');
      try {
        const head = { code: ZSTD, size, body_sum: crc32(bytes) } as BlockHead;
        const plain = isPacked ? unpacked(head, bytes) : bytes;
        for (const read of [readLines, readMetrics]) {
          try {
            expectThat(read(plain) <= MOST_CHARS, 'a block holds more text than its bytes');
          } catch (error) {
            if (!isDamaged(error)) throw error;
          }
        }
      } catch (error) {
        if (!isDamaged(error)) throw error;
      }
    }),
};
