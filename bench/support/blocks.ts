import { join } from 'node:path';
import Database from 'better-sqlite3';
import { LINES, METRICS } from '../../src/main/host/logs/blocks/block-formats.ts';
import { type BlockKind, type BlockRowsOf, BlockTable } from '../../src/main/host/logs/blocks/block-table.ts';
import type { BlockFormat } from '../../src/main/host/logs/blocks/block-writer.ts';
import type { LineBlock } from '../../src/main/host/logs/blocks/line-block.ts';
import type { MetricBlock } from '../../src/main/host/logs/blocks/metric-block.ts';
import { logFolder, segmentName, segmentsIn } from '../../src/main/host/logs/log-segments.ts';
import { Statements } from '../../src/main/host/logs/statements.ts';

/** The lines of a bot's log as its files hold them. */
export function lineBlocks(dataDir: string, bot: string): Generator<LineBlock> {
  return blocksOf(dataDir, bot, 'line', LINES);
}

/** Its metrics with their points. */
export function metricBlocks(dataDir: string, bot: string): Generator<MetricBlock> {
  return blocksOf(dataDir, bot, 'metric', METRICS);
}

function* blocksOf<Block extends BlockRowsOf>(
  dataDir: string,
  bot: string,
  kind: BlockKind,
  format: BlockFormat<never, Block>,
): Generator<Block> {
  const dir = logFolder(dataDir, bot);
  for (const number of segmentsIn(dir)) {
    const db = new Database(join(dir, segmentName(number)), { readonly: true });
    // At one moment: the host may be compressing.
    db.exec('begin');
    const table = new BlockTable(new Statements(db), kind, ({ reason }) => {
      throw new Error(reason);
    });
    for (const head of table.walk(0, Number.MAX_SAFE_INTEGER, 'asc')) {
      const block = table.read(head, format.parse);
      if (block !== null) yield block;
    }
    db.close();
  }
}
