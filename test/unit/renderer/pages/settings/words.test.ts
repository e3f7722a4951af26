import { describe, expect, it } from 'vitest';
import { aspectWord, botsInWords, shareOf } from '../../../../../src/renderer/pages/settings/words.ts';

const layer = (current: number, total: number | null) => ({ id: 'x', status: 'Downloading', current, total });

describe('settings in words', () => {
  it('say how far a pull is, as far as sizes are known', () => {
    expect(shareOf({ text: '', layers: [layer(5, 10), layer(10, 10), layer(3, null)] })).toBe(0.75);
    expect(shareOf({ text: '', layers: [layer(30, 10)] })).toBe(1);
    expect(shareOf({ text: '', layers: [layer(1, null), layer(0, 0)] })).toBeNull();
    expect(shareOf({ text: '', layers: [] })).toBeNull();
  });

  it('count bots by state', () => {
    expect(botsInWords({ running: 2, backing_off: 1, stopped: 0 })).toBe('2 running, 1 waiting to restart');
    expect(botsInWords({})).toBe('none');
  });

  it('call what engines isolate by its name', () => {
    expect([aspectWord('cpu'), aspectWord('files')]).toEqual(['CPU', 'Files']);
  });
});
