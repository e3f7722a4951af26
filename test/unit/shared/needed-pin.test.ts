import { expect, it } from 'vitest';
import { neededPin } from '../../../src/shared/needed-pin.ts';

it('tells whether a PIN is to be entered or chosen first', () => {
  expect(neededPin({ code: 'PIN_REQUIRED', details: { chosen: true } })).toEqual({ isChosen: true });
  expect(neededPin({ code: 'PIN_REQUIRED', details: { chosen: false } })).toEqual({ isChosen: false });
  expect(neededPin({ code: 'PIN_REQUIRED', details: null })).toEqual({ isChosen: true });
});

it('is null for an error that no PIN helps against', () => {
  expect(neededPin({ code: 'FORBIDDEN', details: { chosen: false } })).toBeNull();
});
