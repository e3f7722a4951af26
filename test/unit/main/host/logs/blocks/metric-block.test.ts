import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromOwnTime } from '../../../../../../src/main/host/logs/blocks/columns.ts';
import { MetricBlock, MetricBlockBuilder } from '../../../../../../src/main/host/logs/blocks/metric-block.ts';
import { addMetrics, type BlockMetric, idOfRun, metricRuns } from '../../../../../support/block-rows.ts';

function metricsOf(block: MetricBlock): BlockMetric[] {
  let point = 0;
  return Array.from({ length: block.count }, (_, at) => {
    const points = Array.from({ length: block.pointCounts[at] ?? 0 }, () => {
      const one = { series: block.series[point] ?? 0, value: block.values[point] ?? 0 };
      point += 1;
      return one;
    });
    return {
      seq: block.seqs[at] ?? 0,
      ts: block.ts[at] ?? 0,
      time: fromOwnTime(block.times[at]),
      type: block.types[at] ?? 0,
      run: block.runs[at] === 0 ? null : String(block.runs[at]),
      data: block.data(at),
      points,
    };
  });
}

describe('a block of metrics', () => {
  it('gives back every metric and every value, bit by bit', () => {
    const builder = new MetricBlockBuilder();
    fc.assert(
      fc.property(metricRuns, (metrics) => {
        builder.clear();
        addMetrics(builder, metrics);
        const stored = metricsOf(new MetricBlock(Buffer.from(builder.build(idOfRun).plain)));
        expect(stored).toEqual(metrics);
        const values = (rows: readonly BlockMetric[]) => rows.flatMap(({ points }) => points.map(({ value }) => value));
        expect(values(stored).every((value, at) => Object.is(value, values(metrics)[at]))).toBe(true);
      }),
    );
  });

  it('is the same whether metrics come one by one or in blocks', () => {
    fc.assert(
      fc.property(metricRuns, fc.nat(), (metrics, cut) => {
        const at = metrics.length === 0 ? 0 : cut % metrics.length;
        const [whole, first, both] = [new MetricBlockBuilder(), new MetricBlockBuilder(), new MetricBlockBuilder()];
        addMetrics(whole, metrics);
        addMetrics(first, metrics.slice(0, at));
        both.addBlock(new MetricBlock(Buffer.from(first.build(idOfRun).plain)));
        addMetrics(both, metrics, at);
        expect(both.build(idOfRun).plain.equals(whole.build(idOfRun).plain)).toBe(true);
      }),
    );
  });

  it('names the points of a series with the time of their metric', () => {
    const builder = new MetricBlockBuilder();
    const metric = { type: 1, run: '1', data: '{}' };
    const both = [
      { series: 1, value: 5 },
      { series: 2, value: 6 },
    ];
    addMetrics(builder, [
      { ...metric, seq: 3, ts: 100, time: null, points: both },
      { ...metric, seq: 4, ts: 100, time: 90, points: [{ series: 2, value: 7.25 }] },
    ]);
    const points: number[][] = [];
    new MetricBlock(Buffer.from(builder.build(idOfRun).plain)).eachPoint(2, (...point) => points.push(point));
    expect(points).toEqual([
      [100, 3, 6],
      [90, 4, 7.25],
    ]);
    expect(builder.build(idOfRun).facts).toMatchObject({ types: [1], times: { from: 90, to: 100 } });
  });

  it('is refused when bytes are missing, or more than its rows', () => {
    const builder = new MetricBlockBuilder();
    const points = [{ series: 9, value: 0.1 }];
    addMetrics(builder, [{ seq: 1, ts: 1, time: -5, type: 2, run: null, data: '{"a":0.1}', points }]);
    const plain = Buffer.from(builder.build(idOfRun).plain);
    for (let length = 0; length < plain.length; length++) {
      expect(() => new MetricBlock(plain.subarray(0, length)), `${length} bytes`).toThrow(/block/);
    }
    expect(() => new MetricBlock(Buffer.concat([plain, Buffer.of(0)]))).toThrow('more than its rows');
  });
});
