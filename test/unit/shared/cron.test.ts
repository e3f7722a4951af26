import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/contract/errors.ts';
import { nextRun, parseCron } from '../../../src/shared/cron.ts';
import { describeCron } from '../../../src/shared/cron-describe.ts';
import { oracleMatches } from '../../support/cron-oracle.ts';

const at = (text: string): number => Date.parse(text);
const next = (expression: string, after: string): string | null => {
  const ms = nextRun(parseCron(expression), at(after));
  return ms === null ? null : new Date(ms).toISOString().slice(0, 16);
};

function refusal(expression: string): PlatformError {
  try {
    parseCron(expression);
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error(`"${expression}" was accepted`);
}

describe('nextRun', () => {
  it.each([
    ['* * * * *', '2026-03-01T10:00:00.000Z', '2026-03-01T10:01'],
    ['* * * * *', '2026-03-01T10:00:59.999Z', '2026-03-01T10:01'],
    ['0 14 * * 1-5', '2026-11-20T14:00:00Z', '2026-11-23T14:00'],
    ['0 14 * * 1-5', '2026-11-20T13:59:59.999Z', '2026-11-20T14:00'],
    ['*/15 * * * *', '2026-12-31T23:46:00Z', '2027-01-01T00:00'],
    ['30 2 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T02:30'],
    ['0 0 29 2 *', '2096-02-29T00:00:00Z', '2104-02-29T00:00'],
    ['0 0 13 * 5', '2025-01-01T00:00:00Z', '2025-01-03T00:00'],
    ['0 0 29 2 1', '2025-01-01T00:00:00Z', '2025-02-03T00:00'],
    ['0 0 31 4,6 1', '2025-03-31T12:00:00Z', '2025-04-07T00:00'],
    ['0 0 */2 * 1', '2025-01-01T00:00:00Z', '2025-01-03T00:00'],
    ['0 0 */1 * 1', '2025-01-01T00:00:00Z', '2025-01-06T00:00'],
    ['0 0 1-31 * 1', '2025-01-01T00:00:00Z', '2025-01-02T00:00'],
    ['0 0 * * 7', '2026-11-16T00:00:00Z', '2026-11-22T00:00'],
    ['0 0 * * 5-7', '2026-11-16T00:00:00Z', '2026-11-20T00:00'],
    ['*/90 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T01:00'],
    ['05 007 * JAN-mar sun', '2026-01-01T00:00:00Z', '2026-01-04T07:05'],
    [' 59\t23  31 12 * \n', '2026-01-01T00:00:00Z', '2026-12-31T23:59'],
    ['0 0 1 1 *', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00'],
    ['0 12 * * *', '1903-02-28T12:00:00Z', '1903-03-01T12:00'],
    ['0 0 29 2 *', '0050-01-01T00:00:00Z', '0052-02-29T00:00'],
  ])('%s after %s is %s', (expression, after, expected) => {
    expect(next(expression, after)).toBe(expected);
  });

  it('ends where dates end, and refuses what is no time', () => {
    expect(nextRun(parseCron('* * * * *'), 8.64e15)).toBeNull();
    expect(nextRun(parseCron('0 0 29 2 *'), 8.64e15 - 1000)).toBeNull();
    expect(nextRun(parseCron('0 0 1 1 *'), -9e15)).toBe(Date.UTC(-271820, 0, 1));
    expect(() => nextRun(parseCron('* * * * *'), Number.NaN)).toThrow(RangeError);
  });

  it('finds each minute of two days that the oracle finds', () => {
    const expression = '7-50/9,3 */5,22 28-31,2 2-5 SAT,2';
    const schedule = parseCron(expression);
    const start = Date.UTC(2028, 1, 28);
    let expected: number | null = null;
    for (let ms = start + 2 * 86_400_000; ms > start; ms -= 60_000) {
      if (oracleMatches(expression, ms)) expected = ms;
      if (expected !== null) expect(nextRun(schedule, ms - 1)).toBe(expected);
    }
    expect(expected).not.toBeNull();
  });
});

describe('parseCron refuses', () => {
  it.each([
    ['', 'is empty', 'five fields'],
    ['* * * *', 'has 4 fields', 'five fields'],
    ['0 0 9 * * 1', 'six fields', '0 9 * * 1'],
    ['@daily', '@daily', '0 0 * * *'],
    ['@reboot', '@reboot', 'five fields'],
    ['60 * * * *', 'minute field "60": 60 is outside 0-59', '0-59'],
    ['* 24 * * *', 'hour field "24"', '0-23'],
    ['* * 0 * *', 'day of month field "0"', '1-31'],
    ['* * * 13 *', 'month field "13"', '1-12'],
    ['* * * * 8', 'day of week field "8"', '0-7'],
    ['* * L * *', 'L, W and #', 'plain values'],
    ['* * 15W * *', 'L, W and #', 'plain values'],
    ['* * * * 5L', 'L, W and #', 'plain values'],
    ['* * * * 1#2', 'L, W and #', 'plain values'],
    ['* * ? * 1', '? is not supported', 'Write *'],
    ['20-10 * * * *', 'runs backwards', '20-59,0-10'],
    ['* * * * FRI-MON', 'runs backwards', 'Split'],
    ['* * * * SAT-SUN', 'runs backwards', 'Split'],
    ['5* * * * *', 'minute field "5*"', '*/n'],
    ['** * * * *', 'minute field "**"', '*/n'],
    ['1.5 * * * *', 'minute field "1.5"', '*/n'],
    ['-5 * * * *', 'minute field "-5"', '*/n'],
    ['5/15 * * * *', 'a step needs a range', 'Write 5-59/15'],
    ['*/0 * * * *', 'a step of 0', '1 or more'],
    ['*/ * * * *', 'minute field "*/"', '*/n'],
    ['1,,2 * * * *', 'missing beside a comma', 'list'],
    ['1, * * * *', 'missing beside a comma', 'list'],
    ['* * * MONDAY *', 'month field "MONDAY"', 'FEB'],
    ['* * * * JAN', 'day of week field "JAN"', 'MON'],
    ['MON * * * *', 'minute field "MON"', '0-59'],
    ['0\n0 * * * *', 'minute field', '*/n'],
    ['0 0\n* * *', 'has 4 fields', 'five fields'],
    ['０ * * * *', 'minute field', '0-59'],
    ['99999999999 * * * *', 'minute field', '0-59'],
    [`${'1,'.repeat(400)}1 * * * *`, 'longer than 500', 'five fields'],
    ['0 0 30 2 *', 'never comes', 'Choose a day'],
    ['0 0 31 4,6,9,11 *', 'never comes', 'Choose a day'],
    ['0 0 31 2 */1', 'never comes', 'Choose a day'],
  ])('%j', (expression, message, hint) => {
    const error = refusal(expression);
    expect(error.code).toBe('INVALID_SCHEDULE');
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });
});

describe('describeCron', () => {
  it.each([
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['*/5 9-16 * * 1-5', 'every 5 minutes from 09:00 to 16:55 UTC, every weekday'],
    ['*/20 0,12,22 * * *', 'every 20 minutes in the hours 00, 12 and 22 UTC'],
    ['* 9 * * *', 'every minute from 09:00 to 09:59 UTC'],
    ['0 14 * * 1-5', 'every weekday at 14:00 UTC'],
    ['0 14 * * *', 'every day at 14:00 UTC'],
    ['30 9,16 * * 1', 'every Monday at 09:30 and 16:30 UTC'],
    ['5 * * * *', 'every hour at minute 5'],
    ['7,37 * * * *', 'every hour at minutes 7 and 37'],
    ['0 */2 * * *', 'every 2 hours at minute 0, from 00:00 UTC'],
    ['15 8-17 * * *', 'every hour at minute 15, from 08:15 to 17:15 UTC'],
    ['1-9/2 1,3,5,9 * * *', 'at minutes 1, 3, 5, 7 and 9 of the hours 01, 03, 05 and 09 UTC'],
    ['0 0 1 * *', 'on day 1 of every month at 00:00 UTC'],
    ['0 0 1,15 1-3 *', 'on days 1 and 15 of January to March at 00:00 UTC'],
    ['0 0 13 * 5', 'on day 13 of every month, and every Friday at 00:00 UTC'],
    ['0 0 * 12 6,7', 'every Saturday and Sunday in December at 00:00 UTC'],
    ['0 0 1-31 * 1', 'every day at 00:00 UTC'],
    ['*/30 * * 6 *', 'every 30 minutes, every day in June (UTC)'],
  ])('%s: %s', (expression, expected) => {
    expect(describeCron(expression, 'UTC')).toBe(expected);
  });

  it('refuses what parseCron refuses', () => {
    expect(() => describeCron('nonsense', 'UTC')).toThrow(PlatformError);
    expect(describeCron('30 9 * * 1-5', 'America/New_York')).toBe('every weekday at 09:30 America/New_York');
    expect(describeCron('*/5 * * * 0', 'Asia/Tokyo')).toBe('every 5 minutes, every Sunday (Asia/Tokyo)');
  });
});
