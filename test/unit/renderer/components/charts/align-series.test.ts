import { describe, expect, it } from 'vitest';
import { toColumns } from '../../../../../src/renderer/components/charts/align-series.ts';
import { append, NO_POINTS } from '../../../../../src/shared/series-points.ts';

const raw = (...samples: readonly (readonly [number, number])[]) =>
  append(
    NO_POINTS,
    samples.map(([t, value]) => ({ t, value })),
  );

describe('columns of a chart', () => {
  it('lay lines that were measured at different times on one column of times', () => {
    const { t, lines } = toColumns([raw([10, 1], [30, 3]), raw([20, 7])], []);
    expect(t).toEqual([10, 20, 30]);
    expect(lines[0]?.avg).toEqual([1, undefined, 3]);
    expect(lines[1]?.max).toEqual([undefined, 7, undefined]);
  });

  it('cut every line where the bot was away', () => {
    const { t, lines } = toColumns([raw([10, 1], [30, 3])], [20]);
    expect(t).toEqual([10, 20, 30]);
    expect(lines[0]?.avg).toEqual([1, null, 3]);
  });

  it('keep a sample that came at the very start of a run', () => {
    expect(toColumns([raw([10, 1], [20, 3])], [20]).lines[0]?.avg).toEqual([1, 3]);
  });
});
