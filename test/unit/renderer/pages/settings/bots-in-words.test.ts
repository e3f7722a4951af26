import { expect, it } from 'vitest';
import { botsInWords } from '../../../../../src/renderer/pages/settings/bots-in-words.ts';

it('counts bots by state', () => {
  expect(botsInWords({ running: 2, backing_off: 1, stopped: 0 })).toBe('2 running, 1 waiting to restart');
  expect(botsInWords({})).toBe('none');
});
