import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../../../../src/renderer/pages/bot/metrics/csv.ts';
import { append, NO_POINTS } from '../../../../../../src/shared/series-points.ts';

const samples = (n: number, value: (i: number) => number) =>
  append(
    NO_POINTS,
    Array.from({ length: n }, (_, i) => ({ t: i * 1000, value: value(i) })),
  );

describe('CSV', () => {
  it('has a row for each time and a column for each line, quoted where needed, never a formula', () => {
    const lines = [
      { label: 'a,"b"', points: samples(2, (i) => i + 0.5) },
      { label: '=1+1', points: append(NO_POINTS, [{ t: 1000, value: 7 }]) },
    ];
    expect(toCsv(lines)).toBe(
      'time,"a,""b""",\'=1+1\r\n1970-01-01T00:00:00.000Z,0.5,\r\n1970-01-01T00:00:01.000Z,1.5,7\r\n',
    );
  });

  it('tells how far samples go where a point stands for several', () => {
    const points = { t: [0], min: [1], max: [9], avg: [4], last: [2], count: [12] };
    expect(toCsv([{ label: 'price', points }])).toBe(
      'time,price mean,price min,price max,price samples\r\n1970-01-01T00:00:00.000Z,4,1,9,12\r\n',
    );
  });
});
