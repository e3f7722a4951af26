import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type BlockKind, type BlockRowsOf, BlockTable } from '../../src/main/host/logs/blocks/block-table.ts';
import type { BlockFormat } from '../../src/main/host/logs/blocks/block-writer.ts';
import { fromOwnTime } from '../../src/main/host/logs/blocks/columns.ts';
import { LINES, METRICS } from '../../src/main/host/logs/blocks/line-and-metric-blocks.ts';
import type { LineBlock } from '../../src/main/host/logs/blocks/line-block.ts';
import type { MetricBlock } from '../../src/main/host/logs/blocks/metric-block.ts';
import { hasBlocks } from '../../src/main/host/logs/log-database.ts';
import { logFolder, segmentName, segmentsIn } from '../../src/main/host/logs/log-segments.ts';
import { Statements } from '../../src/node/statements.ts';

/** Paths of the segments of a bot's log, the oldest first. */
export function logFiles(dataDir: string, botId: string): string[] {
  const dir = logFolder(dataDir, botId);
  return segmentsIn(dir).map((number) => join(dir, segmentName(number)));
}

/** The blocks of lines of a bot's log, as its files hold them. */
export function* lineBlocks(dataDir: string, botId: string): Generator<LineBlock> {
  for (const file of logFiles(dataDir, botId)) yield* blocksOf(file, 'line', LINES);
}

/** Its blocks of metrics with their points. */
export function* metricBlocks(dataDir: string, botId: string): Generator<MetricBlock> {
  for (const file of logFiles(dataDir, botId)) yield* blocksOf(file, 'metric', METRICS);
}

/** Rows of one database. Lines and metrics that lie in blocks can be asked for as tables `log` and `metric`. */
export function* rowsOf<Row>(file: string, sql: string, ...params: number[]): Generator<Row> {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  if (hasBlocks(db)) addTables(db, file);
  try {
    yield* db.prepare<unknown[], Row>(sql).iterate(...params);
  } finally {
    db.close();
  }
}

function addTables(db: Database.Database, file: string): void {
  db.table('log', {
    columns: ['seq', 'ts', 'meta', 'run', 'line', 'time', 'fields'],
    *rows() {
      for (const block of blocksOf(file, 'line', LINES)) {
        for (let at = 0; at < block.count; at++) {
          const { seq, ts, meta, run, line, time, fields } = block.line(at);
          yield [seq, ts, meta, run === 0 ? null : run, line, time, fields];
        }
      }
    },
  });
  db.table('metric', {
    columns: ['seq', 'ts', 'type', 'run', 'time', 'data'],
    *rows() {
      for (const block of blocksOf(file, 'metric', METRICS)) {
        for (let at = 0; at < block.count; at++) {
          const run = block.runs[at] ?? 0;
          const [seq, ts, type] = [block.seqs[at], block.ts[at], block.types[at]];
          yield [seq, ts, type, run === 0 ? null : run, fromOwnTime(block.times[at]), block.data(at)];
        }
      }
    },
  });
  db.table('point', {
    columns: ['series', 't', 'seq', 'value'],
    *rows() {
      for (const block of blocksOf(file, 'metric', METRICS)) {
        for (const series of new Set(block.series)) {
          const points: number[][] = [];
          block.eachPoint(series, (t, seq, value) => points.push([series, t, seq, value]));
          yield* points;
        }
      }
    },
  });
}

/** Blocks of one table, over a connection of their own: SQLite is busy with the query that wants them. */
function* blocksOf<Block extends BlockRowsOf>(
  file: string,
  kind: BlockKind,
  format: BlockFormat<never, Block>,
): Generator<Block> {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    // At one moment: the host may be compressing.
    db.exec('begin');
    const table = new BlockTable(new Statements(db), kind, ({ reason }) => {
      throw new Error(reason);
    });
    for (const head of table.walk(0, Number.MAX_SAFE_INTEGER, 'asc')) {
      const block = table.read(head, format.parse);
      if (block !== null) yield block;
    }
  } finally {
    db.close();
  }
}

/** Rows of a bot's log, as its files hold them: of one segment after the other. */
export function* logRows<Row>(dataDir: string, botId: string, sql: string, ...params: number[]): Generator<Row> {
  for (const file of logFiles(dataDir, botId)) yield* rowsOf<Row>(file, sql, ...params);
}
