import { expect, it } from 'vitest';
import { DEFAULT_PREFERENCES, FLEET_COLUMNS } from '../../../../../src/contract/preference-choices.ts';
import { COLUMNS, leastWidth } from '../../../../../src/renderer/pages/fleet/column-list.ts';

/** A window of 1280 px, in rem of 14 px, less navigation (13) and the margins of the page (4). */
const ROOM = 1280 / 14 - 17;

it('has every column, and room for those of a new user in a window of 1280 px', () => {
  expect(COLUMNS.map(({ id }) => id)).toEqual([...FLEET_COLUMNS]);
  expect(leastWidth(DEFAULT_PREFERENCES.fleet_columns)).toBeLessThanOrEqual(ROOM);
  expect(leastWidth(FLEET_COLUMNS)).toBeGreaterThan(ROOM);
});
