import { expect, it } from 'vitest';
import { shareOf } from '../../../../../src/renderer/pages/settings/pull-progress.ts';

const layer = (current: number, total: number | null) => ({ id: 'x', status: 'Downloading', current, total });

it('says how far a pull is, as far as sizes are known', () => {
  expect(shareOf({ text: '', layers: [layer(5, 10), layer(10, 10), layer(3, null)] })).toBe(0.75);
  expect(shareOf({ text: '', layers: [layer(30, 10)] })).toBe(1);
  expect(shareOf({ text: '', layers: [layer(1, null), layer(0, 0)] })).toBeNull();
  expect(shareOf({ text: '', layers: [] })).toBeNull();
});
