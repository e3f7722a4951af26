import { expect, it } from 'vitest';
import { DEFAULT_PREFERENCES, FLEET_COLUMNS } from '../../../../../src/contract/preference-choices.ts';
import { COLUMNS, fittingColumns, leastWidth } from '../../../../../src/renderer/pages/fleet/column-list.ts';

/** A window of 1280 px, in rem of 14 px, less navigation (13) and the margins of the page (4). */
const ROOM = 1280 / 14 - 17;

it('has every column, and room for those of a new user in a window of 1280 px', () => {
  expect(COLUMNS.map(({ id }) => id)).toEqual([...FLEET_COLUMNS]);
  expect(leastWidth(DEFAULT_PREFERENCES.fleet_columns)).toBeLessThanOrEqual(ROOM);
  expect(leastWidth(FLEET_COLUMNS)).toBeGreaterThan(ROOM);
});

it('gives way to the panel from the right, and leaves out what has no room alone', () => {
  const chosen = DEFAULT_PREFERENCES.fleet_columns;
  expect(fittingColumns(chosen, ROOM)).toEqual(chosen);
  // Beside a panel of 27 rem: what is wide goes, and what is still narrow enough stays.
  expect(fittingColumns(chosen, ROOM - 26)).toEqual(['profit', 'last_hour']);
  expect(fittingColumns(chosen, 0)).toEqual([]);
  expect(fittingColumns(['memory', 'custom_bot'], ROOM)).toEqual(['custom_bot', 'memory']);
});
