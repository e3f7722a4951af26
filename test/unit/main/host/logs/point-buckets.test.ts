import { expect, it } from 'vitest';
import { downsample } from '../../../../../src/main/host/logs/downsample.ts';
import { PointBuckets } from '../../../../../src/main/host/logs/point-buckets.ts';
import { SeededRandom, testSeed } from '../../../../support/seeded-random.ts';

it('are those of the sorted points, in whatever order the points come', () => {
  const seed = testSeed();
  const random = new SeededRandom(seed);
  for (let round = 0; round < 50; round++) {
    const window = { from: random.below(1000), to: 2000 + random.below(1000) };
    const points = Array.from({ length: 1 + random.below(500) }, (_, seq) => {
      return { t: window.from + random.below(window.to - window.from), seq, value: random.below(2000) / 8 - 100 };
    });
    const buckets = 1 + random.below(40);
    const found = new PointBuckets(window, buckets);
    for (const { t, seq, value } of points) found.add(t, seq, value);
    const sorted = [...points].sort((a, b) => a.t - b.t || a.seq - b.seq);
    const rows = sorted.map(({ t, value }) => ({ t, min: value, max: value, sum: value, n: 1, last: value }));
    expect(found.rows(), `TEST_SEED=${seed}`).toEqual(downsample(rows, window, buckets));
    const backwards = new PointBuckets(window, buckets);
    for (const { t, seq, value } of sorted.reverse()) backwards.add(t, seq, value);
    expect(backwards.rows(), `TEST_SEED=${seed}`).toEqual(found.rows());
  }
});

it('have a sum and an end where values are the largest that there are', () => {
  const found = new PointBuckets({ from: 0, to: 10 }, 1);
  for (const seq of [1, 2, 3]) found.add(5, seq, Number.MAX_VALUE);
  expect(found.rows()).toEqual([
    { t: 5, min: Number.MAX_VALUE, max: Number.MAX_VALUE, sum: Number.MAX_VALUE, n: 3, last: Number.MAX_VALUE },
  ]);
});
