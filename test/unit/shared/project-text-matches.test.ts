import { describe, expect, it } from 'vitest';
import { matchesIn, replaceMatches } from '../../../src/shared/project-text-matches.ts';

it('finds letters that change their length when they get small, and others beside them', () => {
  const found = (wanted: string) =>
    [...matchesIn('a', 'x İstanbul Needle', wanted, false)].map(({ column, length }) => [column, length]);
  expect(found('İstanbul')).toEqual([[3, 8]]);
  expect(found('needle')).toEqual([[12, 6]]);
  expect(found('.*')).toEqual([]);
});

it('finds places in lines whose letters change their length when they get small', () => {
  const [match] = [...matchesIn('a', 'İx needle', 'needle', false)];
  expect(match).toMatchObject({ line: 1, column: 4 });
});

describe('replaceMatches', () => {
  it('changes the places that are found and nothing else, line ends included', () => {
    const text = 'Price = price\r\nprices\n$&';
    expect(replaceMatches(text, 'price', false, '$& cost')).toBe('$& cost = $& cost\r\n$& costs\n$&');
    expect(replaceMatches(text, 'price', true, '')).toBe('Price = \r\ns\n$&');
    expect(replaceMatches(text, '$&', true, 'x')).toBe('Price = price\r\nprices\nx');
  });

  it('leaves no match where the replacement has none, whatever letters do in lower case', () => {
    const after = replaceMatches('x İstanbul istanbul', 'İstanbul', false, 'Rome');
    expect([...matchesIn('a', after, 'İstanbul', false)]).toEqual([]);
    expect(after).toBe('x Rome istanbul');
  });
});
