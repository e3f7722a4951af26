import { expect, it, onTestFinished } from 'vitest';
import { beginOf, dayAt, dayZone } from '../../../../../src/renderer/data/ledger/day-zone.ts';

const DAY = 86_400_000;

it('asks the host for the days of the clock that a user has chosen, and for nothing where that is UTC', () => {
  expect(dayZone('local', 'America/New_York')).toEqual({
    clock: 'local',
    name: 'America/New_York',
    asked: { zone: 'America/New_York' },
    words: 'America/New York',
    days: 'those of America/New York',
  });
  const utc = { name: 'UTC', asked: {}, words: 'UTC', days: 'UTC days' };
  expect(dayZone('UTC', 'America/New_York')).toEqual({ clock: 'UTC', ...utc });
  expect(dayZone('local', 'UTC')).toEqual({ clock: 'local', ...utc });
});

it.each(['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Kiritimati', 'Africa/Cairo'])(
  'begins each day of a year once, where the clock is set as well: in %s',
  (zone) => {
    const before = process.env.TZ;
    onTestFinished(() => {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    });
    process.env.TZ = zone;
    const { clock } = dayZone(zone === 'UTC' ? 'UTC' : 'local', zone);
    const lengths = new Set<number>();
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += DAY) {
      const day = new Date(at).toISOString().slice(0, 10);
      const next = new Date(at + DAY).toISOString().slice(0, 10);
      const [begin, end] = [day, next].map((one) => Date.parse(beginOf({ clock }, one)));
      expect(dayAt({ clock }, begin ?? 0)).toBe(day);
      expect(dayAt({ clock }, (end ?? 0) - 1)).toBe(day);
      lengths.add(((end ?? 0) - (begin ?? 0)) / 3_600_000);
    }
    const isSet = zone.startsWith('Europe') || zone.startsWith('America') || zone.startsWith('Africa');
    expect([...lengths].sort()).toEqual(isSet ? [23, 24, 25] : [24]);
  },
);
