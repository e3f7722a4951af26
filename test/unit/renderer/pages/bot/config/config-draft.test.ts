import { expect, it } from 'vitest';
import { discard, follow, hold, isDirty, isOld } from '../../../../../../src/renderer/pages/bot/config/config-draft.ts';

const OLD = { size: 1 };
const MINE = { size: 2 };
const THEIRS = { size: 3 };

it('what was saved stays while the bot still shows the old config', () => {
  const saved = { base: MINE, value: MINE, seen: OLD };
  expect(follow(saved, OLD)).toBe(saved);
  expect(isOld(saved, OLD)).toBe(false);
  const heard = follow(saved, MINE);
  expect(heard).toEqual(hold(MINE));
  expect(follow(heard, OLD)).toEqual(hold(OLD));
});

it('what was changed elsewhere is taken in, but never over own changes', () => {
  expect(follow(hold(OLD), THEIRS)).toEqual(hold(THEIRS));
  const dirty = { ...hold(OLD), value: MINE };
  expect(follow(dirty, THEIRS)).toBe(dirty);
  expect([isDirty(dirty), isOld(dirty, THEIRS)]).toEqual([true, true]);
  expect(discard(dirty, THEIRS)).toEqual(hold(THEIRS));
});

it('what is discarded right after a save leaves what was saved', () => {
  const held = { base: MINE, value: THEIRS, seen: OLD };
  expect(discard(held, OLD)).toEqual({ base: MINE, value: MINE, seen: OLD });
});
