import { describe, expect, it } from 'vitest';
import { parseIsoTime, parseLoggerTime, parseMetricTime } from '../../../src/shared/parse-bot-time.ts';

const at = Date.UTC(2025, 0, 2, 3, 4, 5, 678);

describe('ISO texts', () => {
  it.each([
    '2025-01-02T03:04:05.678Z',
    '2025-01-02 03:04:05.678Z',
    '2025-01-02T03:04:05,678',
    '2025-01-02T03:04:05.678901',
    '2025-01-02T05:04:05.678+02:00',
    '2025-01-02T05:04:05.678+0200',
    '2025-01-02T05:04:05.678+02',
    '2025-01-01T22:04:05.678-05:00',
  ])('%s', (text) => {
    expect(parseIsoTime(text)).toBe(at);
  });
  it('takes a missing zone as UTC and missing seconds as 0', () => {
    expect(parseIsoTime('2025-01-02T03:04')).toBe(Date.UTC(2025, 0, 2, 3, 4));
  });
  it.each(['', '2025-01-02', 'yesterday', '2025-13-02T00:00:00Z', '2025-01-02T25:00:00Z', '03:04:05'])(
    '%j is none',
    (text) => {
      expect(parseIsoTime(text)).toBeNull();
    },
  );
});

describe('numbers', () => {
  it.each([
    [1735787045678, at],
    [1735787045.678, at],
    [1735787045678000, at],
    [1735787045678000000, at],
  ])('%d by its size', (value, ms) => {
    expect(parseLoggerTime(value)).toBe(ms);
  });
  it.each([0, 12, -5, Number.NaN, 1e300, null, {}, true])('%j is no time of a logger', (value) => {
    expect(parseLoggerTime(value)).toBeNull();
  });
  it('takes any number as ms for a metric, if a date can hold it', () => {
    expect(parseMetricTime(1000)).toBe(1000);
    expect(parseMetricTime(1e300)).toBeNull();
    expect(parseMetricTime(true)).toBeNull();
    expect(parseMetricTime('2025-01-02T03:04:05.678Z')).toBe(at);
  });
});
