import type { BlockFormat } from './block-writer.ts';
import { LineBlock, LineBlockBuilder } from './line-block.ts';
import { MetricBlock, MetricBlockBuilder } from './metric-block.ts';
import type { NewLines } from './new-lines.ts';
import type { NewMetrics } from './new-metrics.ts';

/** How a block of lines is made and read. */
export const LINES: BlockFormat<NewLines, LineBlock> = {
  builder: new LineBlockBuilder(),
  parse: (plain) => new LineBlock(plain),
};

/** How a block of metrics is made and read. */
export const METRICS: BlockFormat<NewMetrics, MetricBlock> = {
  builder: new MetricBlockBuilder(),
  parse: (plain) => new MetricBlock(plain),
};
