import fc from 'fast-check';
import type { BlockLine, LineBlockBuilder } from '../../src/main/host/logs/blocks/line-block.ts';
import type { MetricBlockBuilder } from '../../src/main/host/logs/blocks/metric-block.ts';
import { NewLines } from '../../src/main/host/logs/blocks/new-lines.ts';
import { type NewMetric, NewMetrics } from '../../src/main/host/logs/blocks/new-metrics.ts';
import type { StoredLog } from '../../src/main/host/logs/stored-row-types.ts';

/** A metric with its points. */
export interface BlockMetric extends NewMetric {
  readonly points: readonly { readonly series: number; readonly value: number }[];
}

/** Times that a Date can hold, in ms, as a bot may name them. */
const ownTime = fc.option(fc.integer({ min: -8.64e15, max: 8.64e15 }), { nil: null });
const text = fc.string({ unit: fc.oneof(fc.constantFrom('a', '\n', '\0', '"', ' '), fc.string({ unit: 'binary' })) });
const wellFormed = text.map((value) => value.toWellFormed());

/** Names of runs in these tests are their ids. */
export function idOfRun(run: string | null): number {
  return Number(run ?? 0);
}

/** A line before it is in a block. */
export function newLine(line: BlockLine): StoredLog {
  return { ...line, run: line.run === 0 ? null : String(line.run) };
}

/** Lines as ingest hands them on. */
export function newLines(rows: readonly StoredLog[]): NewLines {
  const lines = new NewLines();
  for (const row of rows) lines.add(row);
  return lines;
}

/** Lines as they are stored. */
export function rowsOfLines(lines: NewLines): StoredLog[] {
  return Array.from({ length: lines.count }, (_, at) => lines.row(at));
}

/** Adds lines to a builder, from one place on. */
export function addLines(builder: LineBlockBuilder, rows: readonly StoredLog[], from = 0): void {
  const lines = newLines(rows);
  lines.settle();
  for (let at = from; at < rows.length; at++) builder.add(lines, at);
}

/** Adds metrics to a builder, from one place on. */
export function addMetrics(builder: MetricBlockBuilder, rows: readonly BlockMetric[], from = 0): void {
  const metrics = new NewMetrics();
  for (const { points, ...metric } of rows) {
    metrics.add(metric);
    for (const { series, value } of points) metrics.addPoint(series, value);
  }
  for (let at = from; at < rows.length; at++) builder.add(metrics, at);
}

/** Seqs that rise and times that never fall, as ingest gives them. */
function inOrder<Row extends object>(rows: readonly (Row & { readonly gap: number; readonly wait: number })[]): Row[] {
  let seq = 0;
  let ts = 1_700_000_000_000;
  return rows.map(({ gap, wait, ...row }) => {
    seq += gap;
    ts += wait;
    return { ...row, seq, ts } as unknown as Row;
  });
}

const place = {
  gap: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 40 })),
  wait: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1e11 })),
};

/** Any lines that one block can hold. */
export const lineRuns: fc.Arbitrary<BlockLine[]> = fc
  .array(
    fc.record({
      ...place,
      meta: fc.oneof(fc.nat(15), fc.nat(2 ** 20)),
      run: fc.oneof(fc.nat(2), fc.nat(1e6)),
      line: wellFormed,
      time: ownTime,
      fields: fc.option(wellFormed, { nil: null }),
      seq: fc.constant(0),
      ts: fc.constant(0),
    }),
    { maxLength: 40 },
  )
  .map(inOrder<BlockLine>);

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(9)).map(([digits, scale]) => digits / 10 ** scale),
);

/** Any metrics that one block can hold. */
export const metricRuns: fc.Arbitrary<BlockMetric[]> = fc
  .array(
    fc.record({
      ...place,
      time: ownTime,
      type: fc.integer({ min: 1, max: 1000 }),
      run: fc.option(fc.integer({ min: 1, max: 1e6 }).map(String), { nil: null }),
      data: wellFormed,
      points: fc.array(fc.record({ series: fc.integer({ min: 1, max: 2000 }), value }), { maxLength: 5 }),
      seq: fc.constant(0),
      ts: fc.constant(0),
    }),
    { maxLength: 40 },
  )
  .map(inOrder<BlockMetric>);
