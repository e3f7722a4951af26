import { describe, expect, it } from 'vitest';
import { asText, detailOf } from '../../../../../../src/renderer/pages/bot/logs/line-formats.ts';
import { rangeInWords } from '../../../../../../src/renderer/pages/bot/logs/range-in-words.ts';
import { hitsInWords } from '../../../../../../src/renderer/pages/bot/logs/search-result-words.ts';
import { clock, fromInput, stamp, toInput } from '../../../../../../src/renderer/pages/bot/logs/stamps.ts';
import { entryOf } from './make-entry.ts';

describe('words', () => {
  it('writes times as they were chosen', () => {
    const at = '2026-09-30T12:34:56.789Z';
    expect([clock(at, 'UTC'), stamp(at, 'relative', Date.parse(at) + 90_000)]).toEqual(['12:34:56.789', '1 min ago']);
    expect(fromInput(toInput(at, 'local'), 'local')).toBe('2026-09-30T12:34:56.000Z');
    expect(fromInput('2026-09-30T12:34', 'UTC')).toBe('2026-09-30T12:34:00.000Z');
    expect([fromInput('', 'UTC'), fromInput('x', 'local')]).toEqual([null, null]);
  });

  it('names ranges of time', () => {
    const [a, b] = ['2026-09-30T12:00:00.000Z', '2026-09-30T13:30:00.000Z'];
    expect([rangeInWords(null, null, 'UTC'), rangeInWords(a, null, 'UTC'), rangeInWords(null, b, 'UTC')]).toEqual([
      'All times',
      'since 09-30 12:00',
      'until 09-30 13:30',
    ]);
    expect(rangeInWords(a, b, 'UTC')).toBe('09-30 12:00 – 13:30');
  });

  it('counts hits from the oldest once all are known', () => {
    const state = { text: 'x', hits: [3, 5, 9], complete: true, looking: false, current: 5, error: null };
    expect(hitsInWords(state)).toBe('2 of 3');
    expect(hitsInWords({ ...state, complete: false })).toBe('3+');
    expect(hitsInWords({ ...state, hits: [], looking: true })).toBe('Looking…');
    expect(hitsInWords({ ...state, hits: [] })).toBe('No hits');
  });

  it('copies a line without its colours, and sets out what JSON says', () => {
    const entry = entryOf(1, { message: '\u001b[31mred\u001b[0m', fields: { a: 1 }, level: 'warn' });
    expect(asText(entry)).toBe('2026-09-30T12:00:01.000Z warn  stdout red {"a":1}');
    expect([detailOf(entry), detailOf(entryOf(1, { message: '[1]' }))]).toEqual(['{\n  "a": 1\n}', '[\n  1\n]']);
    expect([detailOf(entryOf(1)), detailOf(entryOf(1, { message: '{no' }))]).toEqual([null, null]);
  });
});
