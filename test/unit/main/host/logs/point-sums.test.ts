import { expect, it } from 'vitest';
import { PointSums } from '../../../../../src/main/host/logs/point-sums.ts';
import { MINUTE } from '../../../../../src/main/host/logs/rollup-tables.ts';
import { rowsOf } from '../../../../support/log-files.ts';
import { LogHere } from '../../../../support/log-here.ts';

it('sums points by minute and by hour, each series for itself', () => {
  const sums = new PointSums();
  sums.add(1, 10, 2);
  sums.add(2, 10, 7);
  sums.add(1, MINUTE + 10, 3);
  sums.add(1, 20, -1);
  const first = { series: 1, bucket: 0, min: -1, max: 2, sum: 1, n: 2, last: -1 };
  const second = { series: 1, bucket: MINUTE, min: 3, max: 3, sum: 3, n: 1, last: 3 };
  const other = { series: 2, bucket: 0, min: 7, max: 7, sum: 7, n: 1, last: 7 };
  expect([...sums.minutes()]).toEqual([first, other, second]);
  expect([...sums.hours()]).toEqual([{ ...first, max: 3, sum: 4, n: 3, last: 3 }, other]);
  expect(sums.series.get(1)).toMatchObject({ n: 3, last: -1, lastAt: 20 });
});

it('stores values whose sums no number holds', () => {
  const log = new LogHere();
  const most = Number.MAX_VALUE;
  for (const [at, value] of [most, most, -most, -most, 1].entries()) {
    const metric = { type: 'a', symbol: null, values: { value }, time: at * MINUTE, run: 'r' };
    log.write(1000 + at, [metric, metric]);
    log.write(1000 + at, [metric]);
  }
  log.close();
  const hours = [...rowsOf<{ n: number; sum: number }>(`${log.dir}/log.db`, 'select n, sum from rollup_hour')];
  expect(hours).toEqual([{ n: 15, sum: expect.any(Number) }]);
});
