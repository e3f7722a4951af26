import { expect, it } from 'vitest';
import { compareZones, EXPRESSIONS_NEAR_CHANGES } from '../../support/zone-oracle.ts';

it('agrees with a clock that is read minute by minute, around every change of all zones in 50 years', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const years = [Date.UTC(1977, 0, 1), Date.UTC(2027, 0, 1)] as const;
  const { changes, windows, due, differences } = compareZones(zones, EXPRESSIONS_NEAR_CHANGES, years);
  expect(differences).toEqual([]);
  expect(zones.length).toBeGreaterThan(400);
  expect(changes).toBeGreaterThan(8000);
  console.info(`zones: ${zones.length}, ${changes} changes, ${windows} windows, ${due} due times, 0 differences`);
}, 3_600_000);
