import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GramFilter, gramsOf } from '../../../../../../src/main/host/logs/blocks/gram-filter.ts';
import { noise } from '../../../../../support/noise.ts';

const FIRST = 4001;
const ascii = fc.string({ unit: 'grapheme-ascii' });

describe('the filter of a block', () => {
  it('passes every part of its text, in any case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), ascii, fc.string({ unit: 'binary' }), (before, part, after) => {
        const filter = gramsOf(Buffer.from(`${before}${part}${after}`), FIRST);
        expect(new GramFilter(part).mayHold(filter, FIRST)).toBe(true);
        expect(new GramFilter(part.toUpperCase()).mayHold(filter, FIRST)).toBe(true);
      }),
    );
  });

  it('keeps out nearly all texts of ten characters that are not there', () => {
    const lines = Array.from(
      { length: 4000 },
      (_, at) => `2026-11-24 10:00:00 INFO fetched prices n=${at} id=${at * 7919}\n`,
    );
    const filter = gramsOf(Buffer.from(lines.join('')), FIRST);
    const passed = Array.from({ length: 2000 }, (_, at) => noise(at, 10)).filter((text) =>
      new GramFilter(text).mayHold(filter, FIRST),
    );
    expect(passed.length).toBeLessThan(20);
  });

  it('keeps nothing out that is too short for it, and nothing when it is missing or damaged', () => {
    const filter = gramsOf(Buffer.from('bought AAPL'), FIRST);
    expect(new GramFilter('xq').asks).toBe(false);
    const other = new GramFilter('not there');
    expect(other.mayHold(filter, FIRST)).toBe(false);
    expect(other.mayHold(null, FIRST)).toBe(true);
    expect(other.mayHold(filter, FIRST + 1)).toBe(true);
    expect(other.mayHold(filter.subarray(1), FIRST)).toBe(true);
    for (const at of [0, 1000, filter.length - 1]) {
      const damaged = Buffer.from(filter);
      damaged[at] = (damaged[at] ?? 0) ^ 4;
      expect(other.mayHold(damaged, FIRST)).toBe(true);
    }
  });
});
