import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { parseDate, parseDateRange, queryRange } from '../../../../../src/main/host/logs/date-range.ts';

const NOW = Date.UTC(2026, 0, 2, 12);

const utc = (...parts: [number, number, number, number?, number?, number?]) =>
  Date.UTC(parts[0], parts[1] - 1, parts[2], parts[3] ?? 0, parts[4] ?? 0, parts[5] ?? 0);

describe('date', () => {
  it.each(['2025-03-01', '20250301', ' 2025-03-01 '])('%j is one UTC day', (text) => {
    expect(parseDate(text)).toEqual({ from: utc(2025, 3, 1), to: utc(2025, 3, 2) });
  });
  it('knows leap years', () => {
    expect(parseDate('20240229')).toEqual({ from: utc(2024, 2, 29), to: utc(2024, 3, 1) });
  });
  it.each(['2025-02-30', '20250229', '2025-00-01', '2025-13-01', '2025-1-1', 'today', '', '2025-03-01T00:00:00Z'])(
    '%j is refused',
    (text) => {
      expect(() => parseDate(text)).toThrow(PlatformError);
    },
  );
});

describe('date_range', () => {
  it.each([
    ['20250301-20250302', utc(2025, 3, 1), utc(2025, 3, 3)],
    ['2025-03-01/2025-03-02', utc(2025, 3, 1), utc(2025, 3, 3)],
    ['20250301/20250301', utc(2025, 3, 1), utc(2025, 3, 2)],
    ['2025-03-01T10:00:00Z/2025-03-01T11:30:00Z', utc(2025, 3, 1, 10), utc(2025, 3, 1, 11, 30)],
    ['2025-03-01T10:00:00+02:00/2025-03-01', utc(2025, 3, 1, 8), utc(2025, 3, 2)],
    ['2025-03-01 / 2025-03-01T06:00:00Z', utc(2025, 3, 1), utc(2025, 3, 1, 6)],
    ['-15m', utc(2026, 1, 2, 11, 45), utc(2026, 1, 3, 12)],
    ['-90s', utc(2026, 1, 2, 11, 58, 30), utc(2026, 1, 3, 12)],
    ['-1d/-2h', utc(2026, 1, 1, 12), utc(2026, 1, 2, 10)],
    ['2026-01-01/-1h', utc(2026, 1, 1), utc(2026, 1, 2, 11)],
  ])('%s', (text, from, to) => {
    expect(parseDateRange(text, NOW)).toEqual({ from, to });
  });
  it.each([
    '2025-03-02/2025-03-01',
    '20250302-20250301',
    '2025-03-01T10:00:00Z/2025-03-01T10:00:00Z',
    '2025-03-01',
    '2025-03-01-2025-03-02',
    'a/b',
    '-2h/-3h',
    '-2w',
    '-h',
    '2h',
    '2025-03-01/',
    '/2025-03-01',
    '2025-03-01/2025-03-02/2025-03-03',
    '',
  ])('%j is refused as INVALID_REQUEST with a hint', (text) => {
    let thrown: unknown;
    try {
      parseDateRange(text, NOW);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(PlatformError);
    expect(thrown).toMatchObject({ code: 'INVALID_REQUEST', hint: expect.stringContaining('YYYYMMDD') });
    expect(String(thrown)).toContain('date_range');
  });
});

describe('both in one query', () => {
  it('reads either and refuses both', () => {
    expect(queryRange({}, NOW)).toBeNull();
    expect(queryRange({ date: '20250301' }, NOW)).toEqual(queryRange({ date_range: '20250301-20250301' }, NOW));
    expect(() => queryRange({ date: '20250301', date_range: '20250301-20250301' }, NOW)).toThrow('not both');
  });
});
