import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/contract/errors.ts';
import { nextRun, parseCron } from '../../../src/shared/cron.ts';
import { nextDue, parseSchedule } from '../../../src/shared/schedule.ts';
import { compareZones, EXPRESSIONS_NEAR_CHANGES } from '../../support/zone-oracle.ts';

/** Due times from one instant on, before another. */
function due(expression: string, zone: string, from: string, to: string): string[] {
  const schedule = parseSchedule(expression, zone);
  const times: string[] = [];
  const end = Date.parse(to);
  for (let at = nextDue(schedule, Date.parse(from) - 1); at !== null && at < end; at = nextDue(schedule, at)) {
    times.push(new Date(at).toISOString().slice(5, 16));
  }
  return times;
}

function refusal(zone: string): PlatformError {
  try {
    parseSchedule('* * * * *', zone);
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error(`"${zone}" was accepted`);
}

describe('nextDue', () => {
  it('goes by the clock of the zone, in winter and in summer', () => {
    expect(due('0 9 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', '2026-03-31T00:00Z')).toEqual([
      '03-28T08:00',
      '03-29T07:00',
      '03-30T07:00',
    ]);
    expect(due('30 9 * * 1-5', 'America/New_York', '2026-10-30T00:00Z', '2026-11-03T00:00Z')).toEqual([
      '10-30T13:30',
      '11-02T14:30',
    ]);
  });

  it('runs a fixed hour that the clock skips at the end of the gap, once', () => {
    // 02:00 becomes 03:00 at 01:00 UTC.
    const day = ['Europe/Berlin', '2026-03-29T00:00Z', '2026-03-29T12:00Z'] as const;
    expect(due('30 2 * * *', ...day)).toEqual(['03-29T01:00']);
    expect(due('*/10 2 * * *', ...day)).toEqual(['03-29T01:00']);
    expect(due('0 2,3 * * *', ...day)).toEqual(['03-29T01:00']);
    expect(due('30 1-3 * * *', ...day)).toEqual(['03-29T00:30', '03-29T01:00', '03-29T01:30']);
  });

  it('runs a fixed hour that the clock repeats once, the first time', () => {
    // 03:00 becomes 02:00 at 01:00 UTC.
    const day = ['Europe/Berlin', '2026-10-25T00:00Z', '2026-10-25T12:00Z'] as const;
    expect(due('30 2 * * *', ...day)).toEqual(['10-25T00:30']);
    expect(due('*/30 2,3 * * *', ...day)).toEqual(['10-25T00:00', '10-25T00:30', '10-25T02:00', '10-25T02:30']);
    // Between the two readings of the clock there is nothing left of the hour that ran.
    expect(nextDue(parseSchedule('30 2 * * *', 'Europe/Berlin'), Date.parse('2026-10-25T01:15Z'))).toBe(
      Date.parse('2026-10-26T01:30Z'),
    );
  });

  it('goes by elapsed time where the hour is open or a step', () => {
    const back = ['Europe/Berlin', '2026-10-25T00:00Z', '2026-10-25T03:00Z'] as const;
    expect(due('0 * * * *', ...back)).toEqual(['10-25T00:00', '10-25T01:00', '10-25T02:00']);
    expect(due('0 */2 * * *', ...back)).toEqual(['10-25T00:00', '10-25T01:00']);
    const ahead = ['Europe/Berlin', '2026-03-29T00:00Z', '2026-03-29T03:00Z'] as const;
    expect(due('*/30 * * * *', ...ahead)).toHaveLength(6);
    expect(due('0 */2 * * *', ...ahead)).toEqual(['03-29T02:00']);
  });

  it('knows gaps and repeats of half an hour, and of a whole day', () => {
    const howe = 'Australia/Lord_Howe';
    expect(due('15 2 * * *', howe, '2026-10-03T15:00Z', '2026-10-04T00:00Z')).toEqual(['10-03T15:30']);
    expect(due('45 1 * * *', howe, '2026-04-04T14:00Z', '2026-04-05T00:00Z')).toEqual(['04-04T14:45']);
    // Samoa had no 30 December 2011.
    expect(due('0 9 * * *', 'Pacific/Apia', '2011-12-29T20:00Z', '2011-12-31T20:00Z')).toEqual([
      '12-30T10:00',
      '12-30T19:00',
      '12-31T19:00',
    ]);
  });

  it('is the schedule in UTC where the zone is UTC, far ahead and long ago, too', () => {
    for (const expression of ['*/7 3 * * 2', '0 0 29 2 *', '0 */5 * * *']) {
      for (const from of [-1e12, 0, 1.7e12, 8.64e15 - 1000]) {
        const wanted = nextRun(parseCron(expression), from);
        expect(nextDue(parseSchedule(expression, 'UTC'), from)).toBe(wanted);
        expect(nextDue(parseSchedule(expression, 'Africa/Abidjan'), from)).toBe(wanted);
      }
    }
    expect(nextDue(parseSchedule('0 0 29 2 1', 'Asia/Tokyo'), Date.parse('2026-01-01'))).toBe(
      Date.parse('2026-02-01T15:00Z'),
    );
  });

  it('refuses what is no zone, and names the one that was meant', () => {
    expect(refusal('Berlin')).toMatchObject({ code: 'INVALID_SCHEDULE', hint: 'Write "Europe/Berlin".' });
    expect(refusal('new york')).toMatchObject({ hint: 'Write "America/New_York".' });
    expect(refusal('europe/berlin')).toMatchObject({ hint: 'Write "Europe/Berlin".' });
    for (const zone of ['', '+02:00', 'W. Europe Standard Time', 'local', '../etc', 'A'.repeat(5000), 'UTC\n']) {
      expect(refusal(zone)).toMatchObject({ code: 'INVALID_SCHEDULE', details: [{ path: 'timezone' }] });
    }
    for (const zone of ['UTC', 'Etc/GMT+5', 'US/Eastern', 'Europe/Kyiv', 'America/Argentina/San_Luis']) {
      expect(() => parseSchedule('* * * * *', zone)).not.toThrow();
    }
  });

  it('agrees with a clock that is read minute by minute, around every change of three zones in 10 years', () => {
    const zones = ['America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia'];
    const { changes, due, differences } = compareZones(zones, EXPRESSIONS_NEAR_CHANGES, [
      Date.UTC(2004, 0, 1),
      Date.UTC(2014, 0, 1),
    ]);
    expect(differences).toEqual([]);
    expect(changes).toBeGreaterThan(40);
    expect(due).toBeGreaterThan(1500);
  });
});
