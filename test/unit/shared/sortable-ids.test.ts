import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IdSource, newId } from '../../../src/shared/sortable-ids.ts';

const FORM = /^run_[0-9a-hjkmnp-tv-z]{26}$/;
const AT = Date.UTC(2026, 10, 21);

/** A source whose clock and random bytes the test sets. */
function source(bytes: (size: number) => Uint8Array = randomBytes) {
  const clock = { ms: AT };
  return { clock, ids: new IdSource(() => clock.ms, bytes) };
}

describe('newId', () => {
  it('writes time and random bytes as 26 digits that sort like their values', () => {
    expect(newId('run', 0, new Uint8Array(10))).toBe(`run_${'0'.repeat(26)}`);
    expect(newId('run', 2 ** 48 - 1, new Uint8Array(10).fill(255))).toBe(`run_7${'z'.repeat(25)}`);
  });

  it('refuses what makes no id', () => {
    expect(() => newId('Run', AT, new Uint8Array(10))).toThrow(RangeError);
    expect(() => newId('run', 1.5, new Uint8Array(10))).toThrow(RangeError);
    expect(() => newId('run', 2 ** 48, new Uint8Array(10))).toThrow(RangeError);
    expect(() => newId('run', AT, new Uint8Array(9))).toThrow(RangeError);
  });
});

describe('IdSource', () => {
  it('writes the same digits as newId for the same time and bytes', () => {
    for (let i = 0; i < 1000; i++) {
      const bytes = randomBytes(10);
      expect(source(() => bytes).ids.next('run')).toBe(newId('run', AT, bytes));
    }
  });

  it('grows strictly within a millisecond, over milliseconds and when the clock is set back', () => {
    const { clock, ids } = source();
    const made: string[] = [];
    for (let i = 0; i < 20_000; i++) {
      if (i % 7 === 0) clock.ms += (i % 11) - 5;
      made.push(ids.next('run'));
    }
    expect(made.every((id) => FORM.test(id))).toBe(true);
    expect(made).toEqual([...new Set(made)].sort());
  });

  it('counts the random part up, and runs the time ahead where it can count no further', () => {
    const low = (last: number): Uint8Array => new Uint8Array([0, 0, 0, 0, 0, 255, 255, 255, 255, last]);
    const { ids } = source(() => low(254));
    const [first, second, third] = [ids.next('run'), ids.next('run'), ids.next('run')];
    expect(first).toBe(newId('run', AT, low(254)));
    expect(second).toBe(newId('run', AT, low(255)));
    expect(third).toBe(newId('run', AT + 1, low(254)));
  });
});
