import { expect, it } from 'vitest';
import { botCountsByState } from '../../../../../src/renderer/pages/settings/bot-counts-by-state.ts';

it('counts bots by state', () => {
  expect(botCountsByState({ running: 2, backing_off: 1, stopped: 0 })).toBe('2 running, 1 waiting to restart');
  expect(botCountsByState({})).toBe('none');
});
