import { expect, it } from 'vitest';
import { fullRounds } from '../../support/proof.ts';
import { compareZones, EXPRESSIONS_NEAR_CHANGES } from '../../support/zone-oracle.ts';

/** Half an hour, three rules in one year, a day left out, a negative summer time, a pause for a month. */
const ODD = ['Australia/Lord_Howe', 'Africa/Cairo', 'Pacific/Apia', 'Europe/Dublin', 'Africa/Casablanca'];

it('agrees with a clock that is read minute by minute, around every change of all zones in 50 years', () => {
  const all = Intl.supportedValuesOf('timeZone');
  const zones = fullRounds ? all : all.filter((zone, index) => index % 10 === 0 || ODD.includes(zone));
  const years = [Date.UTC(1977, 0, 1), Date.UTC(2027, 0, 1)] as const;
  const { changes, windows, due, differences } = compareZones(zones, EXPRESSIONS_NEAR_CHANGES, years);
  expect(differences).toEqual([]);
  expect(all.length).toBeGreaterThan(400);
  expect(changes).toBeGreaterThan(zones.length * 10);
  console.info(`zones: ${zones.length}, ${changes} changes, ${windows} windows, ${due} due times, 0 differences`);
}, 3_600_000);
